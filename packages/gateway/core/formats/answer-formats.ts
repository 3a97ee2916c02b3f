import { endOfJson, isObject, parseJson } from "../../turn/read-json.js";
import type { AnswerFormat } from "../../turn/turn.js";
import { SchemaValidators, type Validate } from "./schema-validators.js";
import { Steps } from "./steps.js";

/** The instruction for an answer in a format, and the check of the answer. */
export interface AnswerCheck {
  readonly instruction: string;
  readonly warnings: readonly string[];
  judge(answer: string): { readonly json: string } | { readonly fault: string };
}

/** The limit for all JSON in an answer together: about a tenth of a second of work. */
const MAX_STEPS = 1_000_000;

const JSON_ALONE = "and nothing else: no words before or after it, and no code fence";

export class AnswerFormats {
  readonly #validators = new SchemaValidators();

  /** @throws GatewayError `invalid_request` when the schema of the format cannot be used */
  checkOf(format: AnswerFormat): AnswerCheck {
    switch (format.type) {
      case "json":
        return {
          instruction: `Your final answer must be one JSON object ${JSON_ALONE}.`,
          warnings: [],
          judge: (answer) => judge(answer, (value) => (isObject(value) ? [] : ["the answer must be a JSON object"])),
        };
      case "json-schema": {
        const { validate, warnings } = this.#validators.of(format.schema, format.param);
        const schema = JSON.stringify(format.schema);
        return {
          instruction: `Your final answer must be one JSON value ${JSON_ALONE}. It must fit this JSON schema ("${format.name}"):\n${schema}`,
          warnings,
          judge: (answer) => judge(answer, validate),
        };
      }
    }
  }
}

function judge(answer: string, validate: Validate): { json: string } | { fault: string } {
  const found = findJson(answer);
  if ("problem" in found) return { fault: found.problem };
  const steps = new Steps(MAX_STEPS);
  const judged = found.map(({ json, value }) => ({ json, faults: validate(value, steps) }));
  const [fitting, another] = judged.filter(({ faults }) => faults.length === 0);
  if (another !== undefined) return { fault: "it contains more than one JSON value" };
  if (fitting !== undefined) return { json: fitting.json };
  // The longest JSON is taken for the intended answer.
  const [meant] = judged.sort((a, b) => b.json.length - a.json.length);
  return { fault: meant?.faults.join("; ") ?? "" };
}

interface FoundJson {
  readonly json: string;
  readonly value: unknown;
}

/** Each found JSON text is checked, so their number is limited. */
const MAX_FOUND = 20;
/** Text that only looks like JSON costs time too. */
const MAX_TRIED = 1_000;

/** The whole answer, the content of a fence, or each object and array within prose. Nothing inside broken JSON counts. */
export function findJson(answer: string): readonly FoundJson[] | { problem: string } {
  const text = answer.trim();
  if (text === "") return { problem: "it is empty" };
  const whole = parse(text) ?? parse(inFence(text));
  if (whole !== undefined) return [whole];
  const found: FoundJson[] = [];
  let problem = "it contains no JSON";
  let tried = 0;
  const opening = /[{[]/g;
  for (let start = opening.exec(text)?.index; start !== undefined; start = opening.exec(text)?.index) {
    if (++tried > MAX_TRIED) return { problem: "it contains too many brackets to find the JSON" };
    const end = endOfJson(text, start);
    if (end === -1) return { problem: `the JSON that begins at character ${start + 1} is not complete` };
    const json = parse(text.slice(start, end));
    if (json === undefined) problem = `what begins at character ${start + 1} is not valid JSON`;
    else if (found.push(json) > MAX_FOUND) return { problem: "it contains too many JSON values" };
    opening.lastIndex = end;
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
