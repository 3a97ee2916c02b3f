interface FoundJson {
  /** As the model wrote it. */
  readonly json: string;
  readonly value: unknown;
}

/** Each is checked by itself, which takes its time. */
const MAX_FOUND = 20;
const wholeFence = /^```\w*\s*\n(.*?)\n?```$/s;

/**
 * The JSON in an answer: all of it, what a fence holds, or each object and array that stands in prose. Where one is broken
 * or breaks off, nothing of what is inside it counts. None found is told in words.
 */
export function findJson(answer: string): readonly FoundJson[] | { problem: string } {
  const text = answer.trim();
  if (text === "") return { problem: "it is empty" };
  const whole = parse(text) ?? parse(wholeFence.exec(text)?.[1] ?? "");
  if (whole !== undefined) return [whole];
  const found: FoundJson[] = [];
  let problem = "it holds no JSON";
  for (let start = openingFrom(text, 0); start !== -1; ) {
    const end = endOf(text, start);
    if (end === -1) return { problem: `the JSON that begins at character ${start + 1} is not complete` };
    const json = parse(text.slice(start, end));
    if (json === undefined) problem = `what begins at character ${start + 1} is not valid JSON`;
    else if (found.push(json) > MAX_FOUND) return { problem: "it holds too many JSON values" };
    start = openingFrom(text, end);
  }
  return found.length > 0 ? found : { problem };
}

function parse(json: string): FoundJson | undefined {
  try {
    return { json, value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

function openingFrom(text: string, at: number): number {
  const offset = text.slice(at).search(/[{[]/);
  return offset === -1 ? -1 : at + offset;
}

/** Behind the bracket that closes the one here; -1 when none does. */
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
