import { perPrompt, perToolList } from "../../../turn/per-tool-list.js";
import { field, followReference, listField } from "../../../turn/read-json.js";
import type { ToolDefinition } from "../../../turn/turn.js";

/** All lines together: about 3,000 tokens, which Cursor's prompt cache holds from the second turn on. */
const MAX_CHARACTERS = 12_000;
/** One line: most tools need less for their arguments and purpose. */
const MAX_LINE = 400;
const MAX_DESCRIPTION = 200;
/** A description that is cut shorter than this says nothing. */
const MIN_DESCRIPTION = 20;

const HEADING =
  "Tools that the user's application offers, one on each line: the name by which it is called, its arguments (those with ? may be " +
  "left out), and what it does.";

/** The prompt and a line for each tool (docs/decisions/0010-what-is-known-about-cursor-is-data.md). Equal lists give equal text, for prompt caches. */
export const withToolLines: (system: string, tools: readonly ToolDefinition[]) => string = perPrompt(
  (system, tools) => {
    if (tools.length === 0) return system;
    return system === "" ? linesFor(tools) : `${system}\n\n${linesFor(tools)}`;
  },
);

/** Cached per list of tools, because some clients change their system prompt with every request. */
const linesFor = perToolList((tools) => [HEADING, ...linesOf(tools)].join("\n"));

/** Every tool gets an equal share of the space, including its line break. Tools that do not fit are counted. */
function linesOf(tools: readonly ToolDefinition[]): string[] {
  const share = Math.min(MAX_LINE, Math.floor(MAX_CHARACTERS / tools.length) - 1);
  const lines: string[] = [];
  let left = MAX_CHARACTERS;
  for (const tool of tools.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))) {
    const line = lineOf(tool, share);
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
  }
  const more = tools.length - lines.length;
  return more === 0 ? lines : [...lines, `- and ${more} more`];
}

/** The name is never cut. A signature that is too long loses its optional arguments, then all of them. */
function lineOf({ name, description, inputSchema }: ToolDefinition, maxCharacters: number): string {
  const signatures = [() => signatureOf(inputSchema, "all"), () => signatureOf(inputSchema, "required"), () => "…"];
  let head = "";
  for (const signature of signatures) {
    head = `- ${name}(${signature()})`;
    if (head.length <= maxCharacters) break;
  }
  const room = Math.min(MAX_DESCRIPTION, maxCharacters - head.length - 2);
  const words = shorten(description, room);
  return words === "" ? head : `${head}: ${words}`;
}

/** The first paragraph on one line, cut between two words. */
function shorten(description: string, maxCharacters: number): string {
  const start = description.slice(0, 4 * MAX_DESCRIPTION).trim();
  const [paragraph = ""] = start.split("\n\n", 1);
  const line = paragraph.replace(/\s+/g, " ");
  if (line.length <= maxCharacters) return line;
  if (maxCharacters < MIN_DESCRIPTION) return "";
  const cut = line.slice(0, maxCharacters - 1);
  const end = cut.lastIndexOf(" ");
  return `${end > 0 ? cut.slice(0, end) : cut.replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The most schemas read for one tool. Clients write schemas for models, so real ones are far smaller. */
const MAX_SCHEMAS = 200;
/** Deeper objects are written without their fields. */
const MAX_DEPTH = 3;
const MAX_CHOICES = 8;

/** The arguments as models know them from code: `city: string, days?: integer, unit?: "C" | "F"`. `…` marks an omission. */
export function signatureOf(schema: Readonly<Record<string, unknown>>, whichOnes: "all" | "required"): string {
  return new SignatureWriter(schema).fields(schema, 0, whichOnes);
}

class SignatureWriter {
  readonly #root: unknown;
  #left = MAX_SCHEMAS;

  constructor(root: unknown) {
    this.#root = root;
  }

  fields(schema: unknown, depth: number, whichOnes: "all" | "required" = "all"): string {
    const properties = field(schema, "properties");
    const required = new Set(listField(schema, "required"));
    const all = typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
    const shown = whichOnes === "all" ? all : all.filter(([key]) => required.has(key));
    const written: string[] = [];
    for (const [key, value] of shown) {
      if (this.#left <= 0) break;
      written.push(`${named(key)}${required.has(key) ? "" : "?"}: ${this.#type(value, depth + 1)}`);
    }
    if (written.length < all.length) written.push("…");
    return written.join(", ");
  }

  #type(schema: unknown, depth: number): string {
    if (this.#left-- <= 0) return "…";
    const choices = field(schema, "const") === undefined ? field(schema, "enum") : [field(schema, "const")];
    if (Array.isArray(choices)) return union(choices, literal);
    const reference = field(schema, "$ref");
    if (typeof reference === "string")
      return depth > MAX_DEPTH ? "any" : this.#type(followReference(this.#root, reference), depth + 1);
    const options = field(schema, "anyOf") ?? field(schema, "oneOf");
    if (Array.isArray(options)) return union(options, (option) => this.#type(option, depth));
    const type = field(schema, "type");
    if (Array.isArray(type)) return union(type, (each) => this.#plain(each, schema, depth));
    return this.#plain(type, schema, depth);
  }

  #plain(type: unknown, schema: unknown, depth: number): string {
    if (type === "array") {
      const items = field(schema, "items");
      const item = items === undefined ? "any" : this.#type(items, depth);
      return item.includes(" | ") && !item.endsWith("}") ? `(${item})[]` : `${item}[]`;
    }
    const hasFields = type === "object" || (type === undefined && field(schema, "properties") !== undefined);
    if (!hasFields) return typeof type === "string" && /^\w{1,20}$/.test(type) ? type : "any";
    const fields = depth < MAX_DEPTH ? this.fields(schema, depth) : "";
    return fields === "" ? "object" : `{${fields}}`;
  }
}

function union(choices: readonly unknown[], write: (choice: unknown) => string): string {
  const written = new Set(choices.slice(0, MAX_CHOICES).map(write));
  if (choices.length > MAX_CHOICES) written.add("…");
  return [...written].join(" | ") || "any";
}

function named(key: string): string {
  return /^[\w$-]{1,64}$/.test(key) ? key : JSON.stringify(key.slice(0, 64));
}

function literal(value: unknown): string {
  const text = JSON.stringify(value) ?? "any";
  return text.length <= 64 ? text : "…";
}
