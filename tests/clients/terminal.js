// Runs a client on a terminal, which `script` (of util-linux) provides.
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

/** A busy client may miss keys that come at a bad moment. */
const PRESS_AGAIN_MS = 3_000;
/** How often the user looks. */
const LOOK_MS = 50;

export function terminalCommand(command) {
  const line = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return ["script", "-qec", `stty rows 40 cols 120; exec ${line}`, "/dev/null"];
}

/** The person at the terminal of a client. */
export function openTerminal(child) {
  let shown = "";
  let again;
  let hasEnded = false;
  child.stdout.on("data", (text) => {
    shown += text;
  });
  child.once("close", () => {
    hasEnded = true;
    clearInterval(again);
  });
  // A screen is drawn in pieces, with cursor positions between them.
  const hasCome = async (expected) =>
    expected instanceof RegExp ? expected.test(stripVTControlCharacters(shown)) : expected();
  return {
    /** Waits until the screen shows this text, since the last keys, or until a function says so. */
    async until(expected) {
      while (!(await hasCome(expected))) {
        if (hasEnded) throw new Error(`the client ended while its user waited for ${expected}`);
        await sleep(LOOK_MS);
      }
      clearInterval(again);
    },
    /** Control keys are pressed again until that for which the user waits next has come, or the client ends. */
    press(keys) {
      shown = "";
      clearInterval(again);
      child.stdin.write(keys);
      if (!/^\p{Control}+$/u.test(keys)) return;
      again = setInterval(() => child.stdin.write(keys), PRESS_AGAIN_MS);
    },
  };
}

/** Plays a list of keys, each with the text after which they are pressed. */
export async function pressKeys(terminal, keys) {
  for (const { after, press } of keys) {
    await terminal.until(after);
    terminal.press(press);
  }
}
