import type { ImageBlock, SentResult } from "../../../turn/blocks.js";
import { parseJson } from "../../../turn/read-json.js";
import { isSchema } from "./json-schema.js";

/** A client's result, as far as typed results can carry it. */
export interface ClientAnswer {
  /** All that the client said, images as notes; an error is never without words. */
  readonly text: string;
  /** The picture, when the result is one and the text beside it is at most a caption. */
  readonly image: Uint8Array | undefined;
  readonly isError: boolean;
}

const MAX_CAPTION_CHARACTERS = 200;

export function readAnswer(result: SentResult, toolName: string): ClientAnswer {
  const pieces = result.content.map((block) => {
    if (block.type === "text") return block.text;
    return `[${block.mimeType}, ${block.data.length} bytes: a picture that cannot be passed on here]`;
  });
  const { text, isError } = unwrap(pieces.join("\n"));
  const hasFailed = result.isError || isError;
  if (hasFailed && text.trim() === "") {
    return { text: `The tool ${toolName} failed and did not say why.`, image: undefined, isError: true };
  }
  return { text, image: hasFailed ? undefined : onlyImage(result), isError: hasFailed };
}

function onlyImage({ content }: SentResult): Uint8Array | undefined {
  const images = content.filter((block): block is ImageBlock => block.type === "image");
  const caption = content.reduce((length, block) => length + (block.type === "text" ? block.text.length : 0), 0);
  const [image] = images;
  return images.length === 1 && caption <= MAX_CAPTION_CHARACTERS ? image?.data : undefined;
}

/**
 * Tools that do several things in one call answer with a list of `{query, result, success}`, also when they were asked
 * for one thing. The query repeats what was asked; the result is what counts.
 */
function unwrap(text: string): { text: string; isError: boolean } {
  const whole = { text, isError: false };
  if (!/^\s*\[\s*\{/.test(text)) return whole;
  const parsed = parseJson(text);
  const entry: unknown = Array.isArray(parsed) && parsed.length === 1 ? parsed[0] : undefined;
  if (!isSchema(entry) || typeof entry.success !== "boolean" || typeof entry.result !== "string") return whole;
  const known = new Set(["query", "result", "success", "error"]);
  if (!Object.keys(entry).every((key) => known.has(key))) return whole;
  const error = typeof entry.error === "string" ? entry.error : "";
  const said = [entry.result, error].filter((part) => part !== "").join("\n");
  // A search without a hit is marked as no success, and says so in its result.
  return { text: said, isError: !entry.success && (error !== "" || said === "") };
}
