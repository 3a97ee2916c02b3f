import { z } from "zod";
import { field, parseJson } from "../../turn/read-json.js";
import type { ToolDefinition } from "../../turn/turn.js";

/**
 * Tools that the client runs and OpenAI has published a call for: the request names only the type. Upstream each is a function
 * with the fields of the published call, and a call of it is returned to the client in OpenAI's shape.
 */
export type PublishedType = "shell" | "local_shell" | "apply_patch" | "computer_use_preview" | "computer";

const limit = z.int().nullish().catch(undefined);

/** Models sometimes write one text where a list belongs; the meaning is still clear. */
const listOf = (read: (text: string) => string[]) =>
  z.preprocess((value) => (typeof value === "string" ? read(value) : value), z.array(z.string()));

const Shell = z.object({ commands: listOf((text) => [text]), timeout_ms: limit, max_output_length: limit });

const LocalShell = z.object({
  command: listOf((text) => ["bash", "-lc", text]),
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
  const input = parseJson(json);
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
      const action = data && { ...withoutNulls(data), type: "exec" as const, env: data.env ?? {} };
      return action && { type: "local_shell_call" as const, action };
    }
    case "apply_patch": {
      const operation = Patch.safeParse(field(input, "operation") ?? input).data;
      return operation && { type: "apply_patch_call" as const, operation };
    }
    case "computer_use_preview": {
      const action = Action.safeParse(field(input, "action") ?? input).data;
      return action && { type: "computer_call" as const, action, pending_safety_checks: [] };
    }
    case "computer": {
      const actions = z
        .array(Action)
        .min(1)
        .safeParse(field(input, "actions") ?? [input]).data;
      return actions && { type: "computer_call" as const, actions, pending_safety_checks: [] };
    }
  }
}

const ids = { id: z.string().nullish(), call_id: z.string().min(1) };
const Fields = z.looseObject({});

/** The calls in the history of a request: lenient, because clients also send back what OpenAI's models have called. */
export const sentCalls = [
  z
    .object({ type: z.literal("shell_call"), ...ids, action: Shell })
    .transform(({ action, ...call }) => toSent("shell", call, action)),
  z
    .object({ type: z.literal("local_shell_call"), ...ids, action: LocalShell })
    .transform(({ action: { env, ...action }, ...call }) =>
      toSent("local_shell", call, { ...action, env: Object.keys(env ?? {}).length > 0 ? env : null }),
    ),
  z
    .object({ type: z.literal("apply_patch_call"), ...ids, operation: Fields })
    .transform(({ operation, ...call }) => toSent("apply_patch", call, operation)),
  z
    .object({ type: z.literal("computer_call"), ...ids, action: Fields.nullish(), actions: z.array(Fields).nullish() })
    .transform(({ action, actions, ...call }) =>
      actions
        ? toSent("computer", call, { actions: actions.map(withoutNulls) })
        : toSent("computer_use_preview", call, action ?? {}),
    ),
] as const;

const SentCall = z.discriminatedUnion("type", sentCalls);

/** The arguments of a call as they can be read from its item. */
export function asReturned(type: PublishedType, json: string): string {
  const call = readPublishedCall(type, json);
  return call === undefined ? json : SentCall.parse({ ...call, call_id: "any" }).input;
}

function toSent(published: PublishedType, call: { id?: string | null | undefined; call_id: string }, input: object) {
  return { ...call, type: "published_call" as const, published, input: JSON.stringify(withoutNulls(input)) };
}

function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
