import type { Machine } from "@curlew/gateway/system/machine.js";

type Environment = Machine["env"];

/** Whether animation is off: redrawn lines would be recorded (`CI`), read aloud (`ACCESSIBLE`) or not shown at all. */
export function isPlainTerminal({ TERM, CI, ACCESSIBLE }: Environment): boolean {
  return TERM === "dumb" || isSet(CI) || isSet(ACCESSIBLE);
}

interface Screen {
  readonly stderr: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly env: Environment;
}

interface Terminals {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stderr: { readonly isTTY?: boolean };
  readonly env: Environment;
}

/** Whether a person can choose from a list here, which is redrawn. Yes/no questions work on any terminal. */
export function canChoose({ stdin, stderr, env }: Terminals): boolean {
  const { TERM, CI } = env;
  return stdin.isTTY === true && stderr.isTTY === true && TERM !== "dumb" && !isSet(CI);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value);
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
export const CLEAR_LINE = "\r\u001B[K";

// The spinner of @clack/prompts draws in pipes and under `TERM=dumb`, and ends the process at Ctrl-C.
/** Shows a spinner on a terminal, only the text on a plain one, and nothing in a pipe. Returns the function that ends it. */
export function startSpinner({ stderr, env }: Screen, text: string, isPlain = isPlainTerminal(env)): () => void {
  if (!stderr.isTTY) return () => {};
  if (isPlain) {
    stderr.write(`${text}\n`);
    return () => {};
  }
  let frame = 0;
  const draw = () => stderr.write(`${CLEAR_LINE}${frames[frame++ % frames.length]} ${text}`);
  draw();
  const timer = setInterval(draw, FRAME_MS);
  return () => {
    clearInterval(timer);
    stderr.write(CLEAR_LINE);
  };
}

/** The same items, with a spinner on a terminal while the next one is awaited. */
export async function* whileSpinning<Item>(
  machine: Screen,
  items: AsyncIterable<Item>,
  text: string,
): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  // A plain terminal shows the text only once, not for every item.
  const isPlain = isPlainTerminal(machine.env);
  for (let isFirst = true; ; isFirst = false) {
    const stop = isPlain && !isFirst ? () => {} : startSpinner(machine, text, isPlain);
    const result = await iterator.next().finally(stop);
    if (result.done === true) return;
    yield result.value;
  }
}
