import type { AnswerFormat } from "../turn/turn.js";
import { findJson } from "./find-json.js";
import { SchemaValidators, type Validate } from "./schema-validators.js";
import { Steps } from "./steps.js";

/** The instruction for an answer in a format, and the check of the answer. */
export interface AnswerCheck {
  /** The sentences that are added to the user message. */
  readonly instruction: string;
  readonly warnings: readonly string[];
  /** Returns the JSON of the answer, or what is wrong with it. */
  judge(answer: string): { readonly json: string } | { readonly fault: string };
}

/** The limit for all JSON in an answer together: about a tenth of a second of work. */
const MAX_STEPS = 1_000_000;

const JSON_ALONE = "and nothing else: no words before or after it, and no code fence";

export class AnswerFormats {
  readonly #validators = new SchemaValidators();

  /** @throws GatewayError `invalid_request` when the schema of the format cannot be used */
  async checkOf(format: AnswerFormat): Promise<AnswerCheck> {
    switch (format.type) {
      case "json":
        return {
          instruction: `Your final answer must be one JSON object ${JSON_ALONE}.`,
          warnings: [],
          judge: (answer) => judge(answer, mustBeObject),
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

function mustBeObject(value: unknown): readonly string[] {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? [] : ["the answer must be a JSON object"];
}
