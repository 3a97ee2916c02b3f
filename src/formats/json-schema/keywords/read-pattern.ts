import { isMatch } from "../../pattern/match.js";
import { NotLinear } from "../../pattern/program.js";
import type { Steps } from "../../steps.js";
import { type Reader, UselessSchema } from "../reader.js";

const MAX_SHOWN = 60;

/**
 * The test for a pattern. Undefined when the pattern cannot be run in linear time, which is reported to the reader.
 * @throws UselessSchema when the source is not a valid pattern
 */
export function readPattern(source: string, reader: Reader): ((text: string, steps: Steps) => boolean) | undefined {
  const shown = source.length > MAX_SHOWN ? `${source.slice(0, MAX_SHOWN)}…` : source;
  try {
    const program = reader.patterns.compile(source);
    return (text, steps) => isMatch(program, text, steps);
  } catch (thrown) {
    if (thrown instanceof NotLinear) {
      reader.onUnchecked(`The pattern ${JSON.stringify(shown)} is not checked: ${thrown.message}.`);
      return undefined;
    }
    const isKnown = thrown instanceof SyntaxError || thrown instanceof RangeError;
    if (isKnown) throw new UselessSchema(`the pattern ${JSON.stringify(shown)} cannot be understood`);
    throw thrown;
  }
}
