import { startSpinner } from "./spinner.js";

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
