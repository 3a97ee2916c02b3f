// Runs a client on a terminal, provided by `script` of util-linux.
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

/** A busy client may miss keys that come at a bad moment. */
const PRESS_AGAIN_MS = 3_000;
/** Polling interval. */
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
  // Cursor positions separate the pieces of a screen.
  const hasCome = async (expected) =>
    expected instanceof RegExp ? expected.test(stripVTControlCharacters(shown)) : expected();
  return {
    /** Waits until the screen shows this text after the last keys, or until a function returns true. */
    async until(expected) {
      while (!(await hasCome(expected))) {
        if (hasEnded) throw new Error(`the client ended while the test waited for ${expected}`);
        await sleep(LOOK_MS);
      }
      clearInterval(again);
    },
    /** Presses keys. Control keys are repeated until the next `until` resolves or the client ends. */
    press(keys) {
      shown = "";
      clearInterval(again);
      child.stdin.write(keys);
      if (!/^\p{Control}+$/u.test(keys)) return;
      again = setInterval(() => child.stdin.write(keys), PRESS_AGAIN_MS);
    },
  };
}

/** Presses each entry of a list once its text is shown. */
export async function pressKeys(terminal, keys) {
  for (const { after, press } of keys) {
    await terminal.until(after);
    terminal.press(press);
  }
}
