import { z } from "zod";
import type { ToolDefinition } from "../../turn/turn.js";

/**
 * Tools that the client runs and Anthropic has published the input of: the request names only a dated type. The model gets them
 * with that input as a schema. A call is an ordinary `tool_use`, and its result an ordinary `tool_result`.
 */
const PUBLISHED = /^(bash|text_editor|memory|computer)_(\d{8})$/;

const Requested = z.looseObject({
  type: z.string().regex(PUBLISHED),
  name: z.string().min(1),
  display_width_px: z.number().nullish(),
  display_height_px: z.number().nullish(),
  enable_zoom: z.boolean().nullish(),
  max_characters: z.number().nullish(),
  defer_loading: z.boolean().nullish(),
});

/** Becomes a tool with a schema. A later date than those below is taken for the newest. */
export const PublishedTool = Requested.transform((tool) => ({
  type: "custom" as const,
  name: tool.name,
  defer_loading: tool.defer_loading,
  ...toPublished(tool),
}));

type Requested = z.infer<typeof Requested>;

export function isPublished(type: string): boolean {
  return PUBLISHED.test(type);
}

function toPublished(tool: Requested): Published {
  const [, family, date = ""] = PUBLISHED.exec(tool.type) ?? [];
  switch (family) {
    case "bash":
      return bash;
    case "memory":
      return memory;
    case "computer":
      return computer(tool, date);
    default:
      return textEditor(tool, date);
  }
}

interface Published {
  readonly description: string;
  readonly input_schema: ToolDefinition["inputSchema"];
}

const text = (description: string) => ({ type: "string", description });
const whole = (description: string) => ({ type: "integer", description });
const numbers = (length: number, description: string) => ({
  type: "array",
  items: { type: "integer" },
  minItems: length,
  maxItems: length,
  description,
});
const object = (properties: object, ...required: string[]) => ({ type: "object", properties, required });

const bash: Published = {
  description: "Runs a command in a bash session of the user that stays open between calls. Returns what it prints.",
  input_schema: object({
    command: text("The command. Required unless the session is restarted."),
    restart: { type: "boolean", description: "True to restart the session, for instance when it hangs." },
  }),
};

const editing = {
  file_text: text("For create: the content of the file."),
  old_str: text("For str_replace: the text to replace. It must stand in the file exactly once."),
  insert_line: whole("For insert: the line after which to insert, 0 for the beginning of the file."),
  view_range: numbers(2, "For view of a file: the first and the last line, counted from 1; -1 is the end of the file."),
};

/** The newer versions cannot undo, and have a field of its own for inserted text. */
function textEditor({ max_characters }: Requested, date: string): Published {
  const commands = ["view", "create", "str_replace", "insert", ...(date < "20250429" ? ["undo_edit"] : [])];
  const inserted =
    date < "20250728"
      ? { new_str: text("For str_replace: the new text. For insert: the text to insert.") }
      : { new_str: text("For str_replace: the new text."), insert_text: text("For insert: the text to insert.") };
  const most = max_characters ? ` A view is cut after ${max_characters} characters.` : "";
  return {
    description: `Views, creates and edits the user's text files. A view of a folder lists its files.${most}`,
    input_schema: object(
      {
        command: { type: "string", enum: commands },
        path: text("The path of the file or folder."),
        ...editing,
        ...inserted,
      },
      "command",
      "path",
    ),
  };
}

const memory: Published = {
  description:
    "Files below /memories, which stay when this conversation ends. View the folder before you begin a task: it may hold what " +
    "you learnt earlier. Note progress and what later conversations need, and keep it tidy. A view of a folder lists its files.",
  input_schema: object(
    {
      command: { type: "string", enum: ["view", "create", "str_replace", "insert", "delete", "rename"] },
      path: text("For all but rename: the path of the file or folder, below /memories."),
      ...editing,
      new_str: text("For str_replace: the new text."),
      insert_text: text("For insert: the text to insert."),
      old_path: text("For rename: the path now."),
      new_path: text("For rename: the new path."),
    },
    "command",
  ),
};

const pointing = ["mouse_move", "left_click", "left_click_drag", "right_click", "middle_click", "double_click"];
const since2025 = ["triple_click", "left_mouse_down", "left_mouse_up", "scroll", "hold_key", "wait"];

function computer({ display_width_px, display_height_px, enable_zoom }: Requested, date: string): Published {
  const isNew = date >= "20250124";
  const canZoom = date >= "20251124" && enable_zoom === true;
  const size = display_width_px && display_height_px ? ` of ${display_width_px} by ${display_height_px} pixels` : "";
  const actions = ["screenshot", "cursor_position", "key", "type", ...pointing];
  if (isNew) actions.push(...since2025);
  if (canZoom) actions.push("zoom");
  return {
    description: `Uses the user's computer, which has a display${size}, by mouse and keyboard. Take a screenshot to see it.`,
    input_schema: object(
      {
        action: { type: "string", enum: actions },
        coordinate: numbers(2, "Where to click, move, scroll or drag to: pixels from the left and from the top."),
        text: text(
          "For type: the text. For key and hold_key: the keys, such as ctrl+s. For clicks: keys held meanwhile.",
        ),
        ...(isNew && {
          start_coordinate: numbers(2, "For left_click_drag: where it begins."),
          scroll_direction: { type: "string", enum: ["up", "down", "left", "right"] },
          scroll_amount: whole("For scroll: the number of steps."),
          duration: { type: "number", description: "For hold_key and wait: seconds." },
        }),
        ...(canZoom && {
          region: numbers(4, "For zoom: left, top, right and bottom of what to show enlarged, in pixels."),
        }),
      },
      "action",
    ),
  };
}
