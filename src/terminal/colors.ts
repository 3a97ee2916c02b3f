import { styleText } from "node:util";
import { thisMachine } from "../config/machine.js";

const styles = ["bold", "dim", "red", "green", "yellow", "cyan", "magenta"] as const;

export type Paint = (text: string) => string;
export type Colors = Readonly<Record<(typeof styles)[number], Paint>>;

/** Colours for a terminal, none for pipes and files, unless `NO_COLOR` or `FORCE_COLOR` say otherwise. */
export function colorsFor(
  { isTTY }: { readonly isTTY?: boolean },
  { NO_COLOR, FORCE_COLOR, TERM } = thisMachine().env,
): Colors {
  const isForbidden = isSet(NO_COLOR) || FORCE_COLOR === "0" || FORCE_COLOR === "false";
  return createColors(!isForbidden && (isSet(FORCE_COLOR) || (isTTY === true && TERM !== "dumb")));
}

export function createColors(isColored: boolean): Colors {
  const entries = styles.map((style) => [
    style,
    // The stream that styleText would look at is not always the one that is written to.
    (text: string) => (isColored ? styleText(style, text, { validateStream: false }) : text),
  ]);
  return Object.fromEntries(entries);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
