import { parseJson } from "../../turn/read-json.js";
import type { ToolDefinition } from "../../turn/turn.js";

/** OpenAI's tools that take free text instead of JSON, with the fields that both of its dialects share. */
export interface CustomTool {
  readonly name: string;
  readonly description?: string | null | undefined;
  /** The grammar of the text; any text is valid without one. */
  readonly grammar?: { readonly syntax: string; readonly definition: string } | undefined;
}

/** Cursor only knows tools with JSON arguments, so the text becomes their only argument. */
export function toFunctionTool({ name, description, grammar }: CustomTool): ToolDefinition {
  return {
    name,
    description: description ?? "",
    inputSchema: {
      type: "object",
      properties: { input: { type: "string", description: describeInput(grammar) } },
      required: ["input"],
      additionalProperties: false,
    },
  };
}

export function writeCustomInput(text: string): string {
  return JSON.stringify({ input: text });
}

/** The text in the arguments of a call. Models sometimes use a wrong name for the argument; the meaning is still clear. */
export function readCustomInput(json: string): string {
  const value = parseJson(json);
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return json; // it is not JSON at all, so it is the text itself
  const input: unknown = Reflect.get(value, "input");
  if (typeof input === "string") return input;
  const [only, ...others] = Object.values(value);
  return typeof only === "string" && others.length === 0 ? only : json;
}

function describeInput(grammar: CustomTool["grammar"]): string {
  if (grammar === undefined) return "The whole input of the tool, as plain text.";
  return `The whole input of the tool, as plain text that follows this ${grammar.syntax} grammar:\n${grammar.definition}`;
}
