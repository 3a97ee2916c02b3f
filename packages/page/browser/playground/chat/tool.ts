export interface ChatTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown };
}

export type ToolDraft = Readonly<typeof defaultTool>;

export const defaultTool = {
  name: "get_weather",
  description: "Tells the weather in a city.",
  schema: JSON.stringify(
    {
      type: "object",
      properties: { city: { type: "string", description: "The name of the city" } },
      required: ["city"],
    },
    null,
    2,
  ),
  /** Used by the button that fills in the example. */
  example: '{ "celsius": 17, "sky": "clear" }',
};

export function toolProblems({ name, schema }: ToolDraft) {
  return { name: nameProblem(name), schema: schemaProblem(schema) };
}

/** The tool for requests; undefined if it is invalid. */
export function toChatTool(draft: ToolDraft): ChatTool | undefined {
  const { name, schema } = toolProblems(draft);
  if (name !== undefined || schema !== undefined) return undefined;
  const { description } = draft;
  return { type: "function", function: { name: draft.name, description, parameters: JSON.parse(draft.schema) } };
}

function nameProblem(name: string): string | undefined {
  if (/^[\w-]{1,64}$/.test(name)) return undefined;
  return name === "" ? "A tool needs a name." : "A name can have up to 64 letters, digits, underscores and hyphens.";
}

function schemaProblem(text: string): string | undefined {
  const schema = parse(text);
  if (schema instanceof SyntaxError) return `This is not JSON: ${schema.message}`;
  if (!isObject(schema)) return 'A schema is an object, such as { "type": "object" }.';
  const { type, properties = {}, required = [] } = schema;
  if (type !== "object") return 'The arguments of a tool are an object: "type" must be "object".';
  if (!isObject(properties)) return '"properties" must be an object.';
  if (!Array.isArray(required)) return '"required" must be a list of names.';
  const unknown = required.find((name) => typeof name !== "string" || !Object.hasOwn(properties, name));
  return unknown === undefined ? undefined : `"required" names ${JSON.stringify(unknown)}, missing in "properties".`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    return thrown;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
