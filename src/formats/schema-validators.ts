import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { canonical } from "../turn/canonical.js";
import { GatewayError } from "../turn/error.js";
import { withinTime } from "./within-time.js";

type Schema = Readonly<Record<string, unknown>>;

/** What does not fit, each in words; empty when everything does. */
export type Validate = (value: unknown) => readonly string[];

const MAX_SCHEMA_CHARACTERS = 128 * 1024;
const MAX_COMPILE_MS = 1_000;
const MAX_VALIDATE_MS = 1_000;
const MAX_KEPT = 50;
const MAX_FAULTS = 5;
const MAX_FAULT_CHARACTERS = 200;

/** Its message says why. */
class UselessSchema extends Error {}

/** Compiles the schemas of clients, and keeps the ones that were used last. */
export class SchemaValidators {
  readonly #kept = new Map<string, Validate>();

  /** Throws what makes a schema useless as a mistake in that part of the request. */
  of(schema: Schema, param: string): Validate {
    try {
      return this.#of(schema);
    } catch (thrown) {
      if (!(thrown instanceof UselessSchema)) throw thrown;
      const text = `The JSON schema for the answer cannot be used: ${thrown.message}.`;
      throw new GatewayError("invalid_request", text, { param });
    }
  }

  #of(schema: Schema): Validate {
    const key = keyOf(schema);
    const validate = this.#kept.get(key) ?? compile(schema);
    this.#kept.delete(key); // set anew, so that the oldest is first
    this.#kept.set(key, validate);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    return validate;
  }
}

function keyOf(schema: Schema): string {
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

function compile({ $schema, ...schema }: Schema): Validate {
  const validate = withinTime(MAX_COMPILE_MS, () => tryToCompile(schema, isDraft7($schema)));
  if (validate === undefined) throw new UselessSchema("it takes too long to understand");
  // Such a schema would answer with a promise, which is never false.
  if ("$async" in validate) throw new UselessSchema("$async is not supported");
  return (value) => {
    const faults = withinTime(MAX_VALIDATE_MS, () => (validate(value) ? [] : (validate.errors ?? [])));
    if (faults === undefined) return ["the answer takes too long to check; simplify the patterns of the schema"];
    return faults.slice(0, MAX_FAULTS).map(wordFault);
  };
}

function tryToCompile(schema: Schema, isOld: boolean): ValidateFunction {
  const options: Options = {
    strict: false,
    allErrors: true,
    inlineRefs: false,
    logger: false,
    code: { regExp: Object.assign(toRegExp, { code: "new RegExp" }) },
  };
  try {
    // One for each schema: ids of two clients' schemas must not meet, and one that is given up on is left half done.
    const ajv = isOld ? new Ajv(options) : new Ajv2020(options);
    addFormats.default(ajv);
    return ajv.compile(schema);
  } catch (thrown) {
    throw new UselessSchema(thrown instanceof Error ? cut(thrown.message) : "it cannot be understood");
  }
}

/** Everything before 2019 is near enough to draft 7. */
function isDraft7($schema: unknown): boolean {
  return typeof $schema === "string" && /\/draft-0\d\//.test($schema);
}

/** JSON Schema wants the Unicode rules, but many schemas escape what those do not allow to be escaped. */
function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

/** Names the place and the rule, and of the answer no more than names of properties. */
function wordFault({ instancePath, message = "does not fit", params }: ErrorObject): string {
  const named: unknown = params.additionalProperty ?? params.unevaluatedProperty;
  const allowed: unknown = params.allowedValues ?? params.allowedValue;
  const detail = named ?? allowed;
  const place = instancePath === "" ? "the answer" : instancePath;
  return cut(`${place} ${message}${detail === undefined ? "" : `: ${JSON.stringify(detail)}`}`);
}

function cut(text: string): string {
  return text.length > MAX_FAULT_CHARACTERS ? `${text.slice(0, MAX_FAULT_CHARACTERS - 1)}…` : text;
}
