const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
const CLEAR_LINE = "\r\u001B[K";

/** Shows that something is being waited for, on a terminal alone. Returns how to end it. */
export function startSpinner(text: string, stream: NodeJS.WriteStream): () => void {
  if (!stream.isTTY) return () => {};
  let frame = 0;
  const draw = () => stream.write(`${CLEAR_LINE}${FRAMES[frame++ % FRAMES.length]} ${text}`);
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
  for (;;) {
    const stop = startSpinner(text, process.stderr);
    const result = await iterator.next().finally(stop);
    if (result.done === true) return;
    yield result.value;
  }
}
