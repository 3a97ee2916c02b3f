import { perPrompt, perToolList } from "../../../turn/per-tool-list.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { signatureOf } from "./signature.js";

/** All lines together: about 3,000 tokens, which Cursor's prompt cache holds from the second turn on. */
const MAX_CHARACTERS = 12_000;
/** One line: most tools say what they do, and what they take, in less. */
const MAX_LINE = 400;
const MAX_DESCRIPTION = 200;
/** A shorter rest of a description says nothing. */
const MIN_DESCRIPTION = 20;

const HEADING =
  "Tools that the user's application offers, one on each line: the name by which it is called, its arguments (those with ? may be " +
  "left out), and what it does.";

/**
 * The system prompt for a model that gets its tools by name alone, with a line for each tool behind it
 * (docs/decisions/0031-dynamic-tools.md). Equal lists give equal text, whatever their order, so that prompt caches stay valid.
 */
export const withToolLines: (system: string, tools: readonly ToolDefinition[]) => string = perPrompt(
  (system, tools) => {
    if (tools.length === 0) return system;
    return system === "" ? linesFor(tools) : `${system}\n\n${linesFor(tools)}`;
  },
);

/** The lines are made once for a list of tools, because some clients change their system prompt with every request. */
const linesFor = perToolList((tools) => [HEADING, ...linesOf(tools)].join("\n"));

/** Every tool gets the same share of the room, of which the line break takes one character. What does not fit any more is counted. */
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

/** The name is always complete. A signature that is too long loses what may be left out, then everything. */
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
