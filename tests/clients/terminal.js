// Runs a client on a terminal, which `script` (of util-linux) provides.
import { stripVTControlCharacters } from "node:util";

/** A busy client may miss keys that come at a bad moment. */
const PRESS_AGAIN_MS = 3_000;

export function terminalCommand(command) {
  const line = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return ["script", "-qec", `stty rows 40 cols 120; exec ${line}`, "/dev/null"];
}

/**
 * Presses keys as soon as the screen shows, since the last ones, the text that they wait for. Control keys are pressed again
 * until the screen shows the text for the next ones, or the client ends.
 */
export function playOnTerminal(child, keys) {
  const waiting = [...keys];
  let shown = "";
  let again;
  child.stdout.on("data", (text) => {
    shown += text;
    const [next] = waiting;
    // A screen is drawn in pieces, with cursor positions between them.
    if (next === undefined || !next.after.test(stripVTControlCharacters(shown))) return;
    waiting.shift();
    shown = "";
    clearInterval(again);
    child.stdin.write(next.press);
    if (/^\p{Control}+$/u.test(next.press)) {
      again = setInterval(() => child.stdin.write(next.press), PRESS_AGAIN_MS);
    }
  });
  child.once("close", () => clearInterval(again));
}
