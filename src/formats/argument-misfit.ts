import { parseJson } from "../turn/read-json.js";
import { SchemaValidators } from "./schema-validators.js";
import { Steps } from "./steps.js";

/** The limit for one call: about a hundredth of a second of work. */
const MAX_STEPS = 100_000;

/** Makes the check of a call's arguments by the schema of its tool. A schema that cannot be used demands nothing. */
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
