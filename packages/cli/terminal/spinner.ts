import { thisMachine } from "@curlew/gateway/system/machine.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether animation is off: redrawn lines would be recorded (`CI`), read aloud (`ACCESSIBLE`) or not shown at all. */
export function isPlainTerminal({ TERM, CI, ACCESSIBLE }: Environment = thisMachine().env): boolean {
  return TERM === "dumb" || isSet(CI) || isSet(ACCESSIBLE);
}

type Streams = Readonly<Record<"stdin" | "stderr", { readonly isTTY?: boolean }>>;

/** Whether a person can choose from a list here, which is redrawn. Yes/no questions work on any terminal. */
export function canChoose({ stdin, stderr }: Streams, { TERM, CI }: Environment): boolean {
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
export function startSpinner(
  text: string,
  stream: NodeJS.WriteStream = process.stderr,
  isPlain = isPlainTerminal(),
): () => void {
  if (!stream.isTTY) return () => {};
  if (isPlain) {
    stream.write(`${text}\n`);
    return () => {};
  }
  let frame = 0;
  const draw = () => stream.write(`${CLEAR_LINE}${frames[frame++ % frames.length]} ${text}`);
  draw();
  const timer = setInterval(draw, FRAME_MS);
  return () => {
    clearInterval(timer);
    stream.write(CLEAR_LINE);
  };
}

/** The same items, with a spinner on a terminal while the next one is awaited. */
export async function* whileSpinning<Item>(items: AsyncIterable<Item>, text: string): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  // A plain terminal shows the text only once, not for every item.
  const isPlain = isPlainTerminal();
  for (let isFirst = true; ; isFirst = false) {
    const stop = isPlain && !isFirst ? () => {} : startSpinner(text, process.stderr, isPlain);
    const result = await iterator.next().finally(stop);
    if (result.done === true) return;
    yield result.value;
  }
}
