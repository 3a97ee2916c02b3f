import { thisMachine } from "../../config/machine.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether nothing may move on this terminal: lines that are drawn over cannot be shown on it (`TERM=dumb`), are recorded one below the
 * other (`CI`), or are read aloud again and again (`ACCESSIBLE`, which @clack/prompts obeys as well).
 */
export function isPlainTerminal({ TERM, CI, ACCESSIBLE }: Environment = thisMachine().env): boolean {
  return TERM === "dumb" || isSet(CI) || isSet(ACCESSIBLE);
}

/** Whether a person can choose from a list here, which is drawn over meanwhile. Yes or no is asked on any terminal. */
export function canChoose(
  { stdin, stderr }: Readonly<Record<"stdin" | "stderr", { readonly isTTY?: boolean }>>,
  { TERM, CI }: Environment,
): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && TERM !== "dumb" && !isSet(CI);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value);
}
