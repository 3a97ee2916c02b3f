import { parseJson } from "../turn/read-json.js";

interface FoundJson {
  readonly json: string;
  readonly value: unknown;
}

/** Each found JSON text is checked, so their number is limited. */
const MAX_FOUND = 20;
/** Text that only looks like JSON costs time too. */
const MAX_TRIED = 1_000;

/**
 * Finds the JSON in an answer: the whole answer, the content of a fence, or each object and array within prose. When one of these
 * is broken or incomplete, nothing inside it counts. When there is none, `problem` says why.
 */
export function findJson(answer: string): readonly FoundJson[] | { problem: string } {
  const text = answer.trim();
  if (text === "") return { problem: "it is empty" };
  const whole = parse(text) ?? parse(inFence(text));
  if (whole !== undefined) return [whole];
  const found: FoundJson[] = [];
  let problem = "it contains no JSON";
  let tried = 0;
  for (let start = openingFrom(text, 0); start !== -1; ) {
    if (++tried > MAX_TRIED) return { problem: "it contains too many brackets to find the JSON" };
    const end = endOf(text, start);
    if (end === -1) return { problem: `the JSON that begins at character ${start + 1} is not complete` };
    const json = parse(text.slice(start, end));
    if (json === undefined) problem = `what begins at character ${start + 1} is not valid JSON`;
    else if (found.push(json) > MAX_FOUND) return { problem: "it contains too many JSON values" };
    start = openingFrom(text, end);
  }
  return found.length > 0 ? found : { problem };
}

/** The content of a fence, when the fence is the whole answer. */
function inFence(text: string): string {
  const lineEnd = text.indexOf("\n");
  const isFence = lineEnd !== -1 && /^```\w*$/.test(text.slice(0, lineEnd).trimEnd()) && text.endsWith("```");
  return isFence ? text.slice(lineEnd, -3).trim() : "";
}

function parse(json: string): FoundJson | undefined {
  const value = parseJson(json);
  return value === undefined ? undefined : { json, value };
}

function openingFrom(text: string, at: number): number {
  const opening = /[{[]/g;
  opening.lastIndex = at;
  return opening.exec(text)?.index ?? -1;
}

/** The index after the bracket that closes the one at `start`; -1 when none does. */
function endOf(text: string, start: number): number {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (isString) {
      if (character === "\\") at++;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return at + 1;
  }
  return -1;
}
