import { z } from "zod";
import { parseJson } from "../../turn/read-json.js";
import type { ToolDefinition } from "../../turn/turn.js";

/**
 * Tools that the client runs and OpenAI has published a call for: the request names only the type. Upstream each is a function
 * with the fields of the published call, and a call of it is returned to the client in OpenAI's shape.
 */
export const publishedTypes = ["shell", "local_shell", "apply_patch", "computer_use_preview", "computer"] as const;
export type PublishedType = (typeof publishedTypes)[number];

const limit = z.int().nullish().catch(undefined);

const Shell = z.object({ commands: z.array(z.string()), timeout_ms: limit, max_output_length: limit });

const LocalShell = z.object({
  command: z.array(z.string()),
  env: z.record(z.string(), z.string()).nullish().catch(undefined),
  timeout_ms: limit,
  user: z.string().nullish(),
  working_directory: z.string().nullish(),
});

const Patch = z.discriminatedUnion("type", [
  z.object({ type: z.literal(["create_file", "update_file"]), path: z.string(), diff: z.string() }),
  z.object({ type: z.literal("delete_file"), path: z.string() }),
]);

const keys = z.array(z.string()).nullish();
const place = { x: z.number(), y: z.number(), keys };
const Action = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("click"),
    button: z.enum(["left", "right", "wheel", "back", "forward"]).default("left"),
    ...place,
  }),
  z.object({ type: z.literal("double_click"), ...place, keys: keys.transform((held) => held ?? null) }),
  z.object({ type: z.literal("move"), ...place }),
  z.object({ type: z.literal("scroll"), ...place, scroll_x: z.number().default(0), scroll_y: z.number().default(0) }),
  z.object({ type: z.literal("drag"), path: z.array(z.object({ x: z.number(), y: z.number() })), keys }),
  z.object({ type: z.literal("keypress"), keys: z.array(z.string()) }),
  z.object({ type: z.literal("type"), text: z.string() }),
  z.object({ type: z.literal(["screenshot", "wait"]) }),
]);

const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;
const number = { type: "number" } as const;
const about = (description: string) => ({ description });
const object = (properties: object, ...required: string[]) => ({ type: "object", properties, required });
const point = object({ x: number, y: number }, "x", "y");

const timeout = { type: "integer", ...about("The longest time that it may take, in milliseconds.") };
const action = object(
  {
    type: {
      ...text,
      enum: ["click", "double_click", "drag", "keypress", "move", "screenshot", "scroll", "type", "wait"],
    },
    x: { ...number, ...about("For click, double_click, move and scroll: pixels from the left.") },
    y: { ...number, ...about("For the same: pixels from the top.") },
    button: { ...text, enum: ["left", "right", "wheel", "back", "forward"], ...about("For click.") },
    path: { type: "array", items: point, ...about("For drag: the points from start to end.") },
    scroll_x: { ...number, ...about("For scroll: pixels to the right.") },
    scroll_y: { ...number, ...about("For scroll: pixels down.") },
    keys: { ...texts, ...about("For keypress: the keys, pressed together. For the mouse: keys held meanwhile.") },
    text: { ...text, ...about("For type.") },
  },
  "type",
);

const schemas: Readonly<Record<PublishedType, ToolDefinition["inputSchema"]>> = {
  shell: object(
    {
      commands: { ...texts, ...about("Shell commands, in the order to run them.") },
      timeout_ms: timeout,
      max_output_length: { type: "integer", ...about("The most characters of output to return.") },
    },
    "commands",
  ),
  local_shell: object(
    {
      command: { ...texts, ...about('The program and its arguments, for instance ["bash", "-lc", "ls | head"].') },
      env: { type: "object", additionalProperties: text, ...about("Further environment variables.") },
      timeout_ms: timeout,
      user: { ...text, ...about("The user to run it as.") },
      working_directory: text,
    },
    "command",
  ),
  apply_patch: object(
    {
      type: { ...text, enum: ["create_file", "update_file", "delete_file"] },
      path: { ...text, ...about("The path of the file, relative to the workspace.") },
      diff: {
        ...text,
        ...about(
          'For create_file: the content, each line after a "+". For update_file: for each change a line "@@" (with the class or ' +
            "function after it, if that helps to find the place), then a few unchanged lines after a space, removed lines after a " +
            '"-" and new lines after a "+". No line numbers.',
        ),
      },
    },
    "type",
    "path",
  ),
  computer_use_preview: action,
  computer: object({ actions: { type: "array", items: action, ...about("In the order to do them.") } }, "actions"),
};

const descriptions: Readonly<Record<PublishedType, string>> = {
  shell: "Runs shell commands on the user's machine and returns what they print and their exit codes.",
  local_shell: "Runs a command on the user's machine and returns what it prints.",
  apply_patch: "Creates, changes or deletes one file of the user's workspace.",
  computer_use_preview: "Uses the user's computer by mouse and keyboard, one action at a time. Returns a screenshot.",
  computer: "Uses the user's computer by mouse and keyboard. Returns a screenshot after the last action.",
};

/** `more` is what the request says about the tool. */
export function toPublishedTool(type: PublishedType, name: string, more: string): ToolDefinition {
  return { name, description: `${descriptions[type]} ${more}`.trim(), inputSchema: schemas[type] };
}

/** A call in OpenAI's shape, apart from the fields that all items have. Undefined if the arguments do not fit. */
export function readPublishedCall(type: PublishedType, json: string) {
  const input = mended(type, parseJson(json));
  switch (type) {
    case "shell": {
      const { data } = Shell.safeParse(input);
      if (data === undefined) return undefined;
      const { commands, timeout_ms = null, max_output_length = null } = data;
      const environment = { type: "local" as const };
      return { type: "shell_call" as const, action: { commands, timeout_ms, max_output_length }, environment };
    }
    case "local_shell": {
      const { data } = LocalShell.safeParse(input);
      const action = data && {
        ...withoutNulls(data),
        type: "exec" as const,
        command: data.command,
        env: data.env ?? {},
      };
      return action && { type: "local_shell_call" as const, action };
    }
    case "apply_patch": {
      const operation = Patch.safeParse(input).data;
      return operation && { type: "apply_patch_call" as const, operation };
    }
    case "computer_use_preview": {
      const action = Action.safeParse(input).data;
      return action && { type: "computer_call" as const, action, pending_safety_checks: [] };
    }
    case "computer": {
      const actions = z.object({ actions: z.array(Action).min(1) }).safeParse(input).data?.actions;
      return actions && { type: "computer_call" as const, actions, pending_safety_checks: [] };
    }
  }
}

/** Models sometimes wrap the fields, leave a wrapper out, or write a single value for a list; the meaning is still clear. */
function mended(type: PublishedType, input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  const get = (name: string): unknown => Reflect.get(input, name);
  switch (type) {
    case "shell": {
      const commands = get("commands") ?? get("command");
      return { ...input, commands: typeof commands === "string" ? [commands] : commands };
    }
    case "local_shell": {
      const command = get("command") ?? get("commands");
      return { ...input, command: typeof command === "string" ? ["bash", "-lc", command] : command };
    }
    case "apply_patch":
      return get("operation") ?? input;
    case "computer_use_preview":
      return get("action") ?? input;
    case "computer":
      return Array.isArray(get("actions")) ? input : { actions: [get("action") ?? input] };
  }
}

/** The arguments of a call that the client sends back. `readPublishedCall` makes the same call of them. */
export function writePublishedInput(call: SentCall): string {
  switch (call.type) {
    case "shell_call":
      return JSON.stringify(withoutNulls(call.action));
    case "local_shell_call": {
      const { type: _, env, ...action } = call.action;
      return JSON.stringify(withoutNulls({ ...action, env: Object.keys(env ?? {}).length > 0 ? env : undefined }));
    }
    case "apply_patch_call":
      return JSON.stringify(withoutNulls(call.operation));
    case "computer_call":
      return JSON.stringify(
        call.actions ? { actions: call.actions.map(withoutNulls) } : withoutNulls(call.action ?? {}),
      );
  }
}

export function typeOfCall(call: SentCall): PublishedType {
  switch (call.type) {
    case "shell_call":
      return "shell";
    case "local_shell_call":
      return "local_shell";
    case "apply_patch_call":
      return "apply_patch";
    case "computer_call":
      return call.actions ? "computer" : "computer_use_preview";
  }
}

function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

const callId = z.string().min(1);

/** The calls in the history of a request: lenient, because clients also send back what OpenAI's models have called. */
export const sentCalls = [
  z.object({ type: z.literal("shell_call"), call_id: callId, action: Shell }),
  z.object({
    type: z.literal("local_shell_call"),
    id: z.string().nullish(),
    call_id: callId,
    action: LocalShell.extend({ type: z.unknown() }),
  }),
  z.object({ type: z.literal("apply_patch_call"), call_id: callId, operation: z.looseObject({}) }),
  z.object({
    type: z.literal("computer_call"),
    call_id: callId,
    action: z.looseObject({}).nullish(),
    actions: z.array(z.looseObject({})).nullish(),
  }),
] as const;

type WithoutIds<Call> = Call extends unknown ? Omit<Call, "id" | "call_id"> : never;
type SentCall = WithoutIds<z.infer<(typeof sentCalls)[number]>>;
