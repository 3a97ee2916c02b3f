// A client on a terminal: `script` of util-linux provides it, and xterm.js shows what a person would see and answers the
// client's questions about it.
import { setTimeout as sleep } from "node:timers/promises";
import xterm from "@xterm/headless";

const ROWS = 50;
const COLUMNS = 120;
/** Polling interval. */
const LOOK_MS = 50;
/** A busy client may miss keys that come at a bad moment. A person then presses them again. */
const PRESS_AGAIN_MS = 3_000;
/** A person pauses before Enter. Keys without a pause are text that was pasted, and so is Enter among them. */
const PAUSE_MS = 250;
/** Only ends what hangs. */
const PATIENCE_MS = 120_000;

export function terminalCommand(command) {
  const line = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return ["script", "-qec", `stty rows ${ROWS} cols ${COLUMNS}; exec ${line}`, "/dev/null"];
}

/** The person at the terminal of a client. */
export function openTerminal(child) {
  const terminal = new xterm.Terminal({ rows: ROWS, cols: COLUMNS, allowProposedApi: true });
  let hasEnded = false;
  const press = (keys) => child.stdin.write(keys);
  terminal.onData(press);
  child.stdout.on("data", (text) => terminal.write(text));
  child.once("close", () => {
    hasEnded = true;
  });

  /** The lines that are shown now, without a scroll bar. */
  function screen() {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: ROWS }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true));
    return lines
      .map((line) => line.replace(/[\s█]+$/, ""))
      .join("\n")
      .trimEnd();
  }

  const isThere = async (expected) => (expected instanceof RegExp ? expected.test(screen()) : expected());

  async function until(expected, onWait = () => {}) {
    const deadlineMs = Date.now() + PATIENCE_MS;
    let pressedMs = Date.now();
    while (!(await isThere(expected))) {
      if (hasEnded || Date.now() > deadlineMs) {
        const state = hasEnded ? "the client ended" : "nothing happened";
        throw new Error(`${state} while the test waited for ${expected}. The screen:\n${screen()}`);
      }
      if (Date.now() - pressedMs > PRESS_AGAIN_MS) {
        onWait();
        pressedMs = Date.now();
      }
      await sleep(LOOK_MS);
    }
  }

  async function pressUntil(keys, expected) {
    press(keys);
    await until(expected, () => press(keys));
  }

  /** Types words, and waits until the client shows their end, perhaps wrapped, with its frame around each line. */
  async function type(words) {
    press(words);
    const end = words.slice(-12).replaceAll(/\s/g, "");
    await until(() =>
      screen()
        .replaceAll(/[\s│┃]/gu, "")
        .includes(end),
    );
  }

  return {
    press,
    /** Waits until the screen shows this, or a function returns true. */
    until,
    /** Presses keys, again and again, until the screen shows this. */
    pressUntil,
    /** Types words and sends them. */
    async say(words) {
      await type(words);
      await sleep(PAUSE_MS);
      press("\r");
    },
    /** Presses keys until the client has ended. */
    leave: (keys) => pressUntil(keys, () => hasEnded),
  };
}
