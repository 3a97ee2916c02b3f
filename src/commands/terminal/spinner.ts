const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
const CLEAR_LINE = "\r\u001B[K";

/** Shows a spinner on a terminal. Returns the function that ends it. */
export function startSpinner(text: string, stream: NodeJS.WriteStream): () => void {
  if (!stream.isTTY) return () => {};
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
  for (;;) {
    const stop = startSpinner(text, process.stderr);
    const result = await iterator.next().finally(stop);
    if (result.done === true) return;
    yield result.value;
  }
}
