// Reads one PDF in a worker thread. It is bundled with its imports into a script, which cannot await at its top level.
import { parentPort, workerData } from "node:worker_threads";
import { getDocumentProxy } from "unpdf";

const { data, maxCharacters, maxBufferBytes } = workerData;

boundBuffers(maxBufferBytes);
void readText().then((outcome) => parentPort.postMessage(outcome));

async function readText() {
  try {
    const pdf = await getDocumentProxy(data, { verbosity: 0 });
    let text = "";
    let hasWords = false;
    for (let number = 1; number <= pdf.numPages && text.length <= maxCharacters; number++) {
      const page = await pdf.getPage(number);
      const words = await readPage(page, maxCharacters - text.length);
      hasWords ||= words.trim() !== "";
      text += `[Page ${number}]\n${words}\n`;
      page.cleanup();
    }
    if (!hasWords) return { problem: "contains no text: it is probably a scan, and its pages can be sent as images" };
    return { text: text.slice(0, maxCharacters).trimEnd(), isCut: text.length > maxCharacters };
  } catch (thrown) {
    const isLocked = thrown?.name === "PasswordException";
    return {
      problem: isLocked ? "is protected by a password" : "cannot be read: it is damaged, or decompresses to too much",
    };
  }
}

async function readPage(page, maxCharacters) {
  let text = "";
  const reader = page.streamTextContent().getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text;
    for (const { str = "", hasEOL } of value.items) text += hasEOL ? `${str}\n` : str;
    if (text.length <= maxCharacters) continue;
    await reader.cancel(new Error("enough"));
    return text;
  }
}

/**
 * A thread's memory limit does not count memory outside the heap, and a few compressed kilobytes may decompress to gigabytes there.
 * PDF.js's own decoders decompress a stream into one growing buffer, so we limit the size of a buffer. PDF.js uses them when the
 * platform's decoder, which cannot be limited, is missing.
 */
function boundBuffers(maxBytes) {
  delete globalThis.DecompressionStream;
  globalThis.Uint8Array = new Proxy(Uint8Array, {
    construct(target, args, newTarget) {
      if (typeof args[0] === "number" && args[0] > maxBytes) throw new RangeError("The PDF decompresses to too much.");
      return Reflect.construct(target, args, newTarget);
    },
  });
}
