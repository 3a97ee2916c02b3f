import type { ImageBlock, SentResult } from "../../../turn/blocks.js";
import { field, isObject, parseJson } from "../../../turn/read-json.js";

/** A client's tool result, reduced to what Cursor's typed results can carry. */
export interface ClientResult {
  /** The whole text of the result, with images as notes. Never empty for an error. */
  readonly text: string;
  /** The image, if the result is a single image with at most a caption. */
  readonly image: Uint8Array | undefined;
  readonly isError: boolean;
  /** The user's words, sent after the text. They say nothing about what the tool did. */
  readonly words: string;
}

const MAX_CAPTION_CHARACTERS = 200;

export function readResult(result: SentResult, toolName: string): ClientResult {
  const pieces = result.content.map((block) => {
    if (block.type === "text") return block.text;
    return `[${block.mimeType}, ${block.data.length} bytes: a picture that cannot be passed on here]`;
  });
  const { text, isError } = unwrap(pieces.join("\n"));
  const hasFailed = result.isError || isError;
  const { words = "" } = result;
  if (hasFailed && text.trim() === "") {
    return { text: `The tool ${toolName} failed and did not say why.`, image: undefined, isError: true, words };
  }
  return { text, image: hasFailed ? undefined : onlyImage(result), isError: hasFailed, words };
}

function onlyImage({ content }: SentResult): Uint8Array | undefined {
  const images = content.filter((block): block is ImageBlock => block.type === "image");
  const caption = content.reduce((length, block) => length + (block.type === "text" ? block.text.length : 0), 0);
  const [image] = images;
  return images.length === 1 && caption <= MAX_CAPTION_CHARACTERS ? image?.data : undefined;
}

/** Unwraps the `[{query, result, success}]` of tools that batch operations in one call. */
function unwrap(text: string): { text: string; isError: boolean } {
  const whole = { text, isError: false };
  if (!/^\s*\[\s*\{/.test(text)) return whole;
  const parsed = parseJson(text);
  const entry: unknown = Array.isArray(parsed) && parsed.length === 1 ? parsed[0] : undefined;
  if (!isObject(entry) || typeof entry.success !== "boolean" || typeof entry.result !== "string") return whole;
  const known = new Set(["query", "result", "success", "error"]);
  if (!Object.keys(entry).every((key) => known.has(key))) return whole;
  const error = typeof entry.error === "string" ? entry.error : "";
  const said = [entry.result, error].filter((part) => part !== "").join("\n");
  // A search without a hit is marked as unsuccessful and says so in its result, which is not an error.
  return { text: said, isError: !entry.success && (error !== "" || said === "") };
}

/** Clients write the exit code above the output or below it. In between, such a line may belong to the command's own output. */
const HEAD_LINES = 5;
const TAIL_LINES = 8;

const forms: readonly RegExp[] = [
  /^\W*exit[ _-]?code[^\w-]{1,3}(-?\d+)\W*$/i, // Exit code 1, Exit Code: 1, (exit_code=1)
  /\b(?:process|command) (?:exited|failed|finished|completed) with (?:exit )?(?:code|status):? (-?\d+)/i,
  /^error \(exit code:? (-?\d+)\)/i,
  /\. exit code: (-?\d+)$/i, // ... within working directory '/x'. Exit code: 0
  /\bfailed with exit code (-?\d+)\.?$/i,
  /<exit_?code>\s*(-?\d+)\s*<\/exit_?code>/i,
];

export function findExitCode(text: string): number | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const ends = [...lines.slice(0, HEAD_LINES), ...lines.slice(-TAIL_LINES).reverse()];
  const written = ends.flatMap((line) => forms.flatMap((form) => form.exec(line.trim())?.[1] ?? [])).map(Number);
  const found = exitCodeInJson(text) ?? written[0];
  // The field has 32 bits on the wire; Windows' large exit codes become the negative numbers that they stand for.
  return found === undefined ? undefined : found | 0;
}

function exitCodeInJson(text: string): number | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  const parsed = parseJson(text);
  const objects = [parsed, field(parsed, "metadata")];
  const codes = objects.flatMap((each) => ["exit_code", "exitCode", "returncode"].map((name) => field(each, name)));
  return codes.find((code): code is number => Number.isInteger(code));
}
