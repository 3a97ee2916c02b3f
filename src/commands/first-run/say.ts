import { log } from "@clack/prompts";
import { StartError } from "../../app/prepare/start-error.js";
import { wrap } from "../../ops/lines/index.js";
import { shownOn } from "../../shown-on.js";
import { GatewayError } from "../../turn/error.js";
import { CommandFailure } from "../line/command-failure.js";
import { promptStyle } from "../terminal/prompts.js";

const output = process.stderr;
/** What the prompts put before each line. */
const GUTTER = 3;
const USUAL_COLUMNS = 80;

/** What is said between the questions, in their style. */
export const say = {
  done: (lines: readonly string[]) => log.success(fitted(lines), promptStyle()),
  warn: (lines: readonly string[]) => log.warn(fitted(lines), promptStyle()),
  failed: (lines: readonly string[]) => log.error(fitted(lines), promptStyle()),
  /** Lines that are as wide as they are, and may have colours. */
  asIs: (text: string) => log.message(text, promptStyle()),
};

/**
 * Shows an expected failure, so that its step can be tried again.
 *
 * @throws What was not expected.
 */
export function sayFailure(thrown: unknown): void {
  const isForeseen = thrown instanceof CommandFailure || thrown instanceof GatewayError || thrown instanceof StartError;
  if (!isForeseen) throw thrown;
  say.failed([thrown.message]);
}

/** A line that the terminal would break has no gutter in its second half. */
function fitted(lines: readonly string[]): string {
  const width = (output.columns || USUAL_COLUMNS) - GUTTER;
  return lines
    .flatMap((text) => shownOn(output, text).split("\n"))
    .flatMap((line) => wrap(line, width))
    .join("\n");
}
