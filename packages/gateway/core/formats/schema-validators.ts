import { BoundedMap } from "../../turn/bounded-map.js";
import { canonical } from "../../turn/canonical.js";
import { GatewayError } from "../../turn/error.js";
import { type JsonObject, parseJson, textField } from "../../turn/read-json.js";
import { type Fault, fits, ROOT, Run, TooDeep, toPointer } from "./json-schema/node.js";
import { readSchema } from "./json-schema/read-schema.js";
import { UselessSchema } from "./json-schema/reader.js";
import { Steps, TooManySteps } from "./steps.js";

/** Returns a sentence for each fault; empty if the value fits. */
export type Validate = (value: unknown, steps: Steps) => readonly string[];

type SchemaValidator = ReturnType<typeof toValidator>;

const MAX_SCHEMA_CHARACTERS = 128 * 1024;
const MAX_KEPT = 50;
const MAX_WARNINGS = 5;
const MAX_FAULT_CHARACTERS = 200;

/** Compiles the schemas of clients, with an LRU cache. */
export class SchemaValidators {
  readonly #kept = new BoundedMap<string, SchemaValidator>(MAX_KEPT);

  /** @throws GatewayError `invalid_request`, with this `param`, when the schema cannot be used */
  of(schema: JsonObject, param: string): SchemaValidator {
    try {
      const key = keyOf(schema);
      const validator = this.#kept.get(key) ?? toValidator(schema);
      this.#kept.set(key, validator); // also on a hit, which makes it the most recently used
      return validator;
    } catch (thrown) {
      if (!(thrown instanceof UselessSchema)) throw thrown;
      const text = `The JSON schema for the answer cannot be used: ${cut(thrown.message)}.`;
      throw new GatewayError("invalid_request", text, { param });
    }
  }
}

function keyOf(schema: JsonObject): string {
  let key: string;
  try {
    key = JSON.stringify(canonical(schema));
  } catch {
    throw new UselessSchema("it is nested too deeply");
  }
  const isTooLong = key.length > MAX_SCHEMA_CHARACTERS;
  if (isTooLong) throw new UselessSchema(`it has more than ${MAX_SCHEMA_CHARACTERS} characters`);
  return key;
}

function toValidator(schema: JsonObject) {
  const warnings = new Set<string>();
  const draft = /\/draft-0\d\//.test(textField(schema, "$schema")) ? "draft-07" : "2020-12";
  const node = readSchema(schema, draft, (why) => {
    if (warnings.size < MAX_WARNINGS) warnings.add(why);
  });
  const validate: Validate = (value, steps) => {
    const run = new Run(steps);
    try {
      return fits(node, value, ROOT, run) ? [] : run.faults.map(wordFault);
    } catch (thrown) {
      if (thrown instanceof TooManySteps) return ["the answer is too large to check by this schema"];
      if (thrown instanceof TooDeep || thrown instanceof RangeError) return ["the answer is nested too deeply"];
      throw thrown;
    }
  };
  return { validate, warnings: [...warnings] };
}

/** Describes a fault by its position and rule. Quotes only property names from the answer. */
function wordFault({ position, message, detail }: Fault): string {
  const named = position === ROOT ? "the answer" : toPointer(position);
  return cut(`${named} ${message}${detail === undefined ? "" : `: ${JSON.stringify(detail)}`}`);
}

function cut(text: string): string {
  return text.length > MAX_FAULT_CHARACTERS ? `${text.slice(0, MAX_FAULT_CHARACTERS - 1)}…` : text;
}

/** The limit for one call: about a hundredth of a second of work. */
const MAX_STEPS = 100_000;

/** Checks the arguments of a call by the schema of its tool. An unusable schema accepts everything. */
export function argumentMisfit(): (schema: Readonly<Record<string, unknown>>, input: string) => string | undefined {
  const validators = new SchemaValidators();
  return (schema, input) => {
    const value = parseJson(input);
    try {
      const faults = validators.of(schema, "tools").validate(value, new Steps(MAX_STEPS));
      return faults.length === 0 ? undefined : faults.join("; ").replaceAll("the answer", "the input");
    } catch {
      return undefined;
    }
  };
}
