// The text of a request's newest message says what the upstream should do:
//   play deltas=N chunk=K pause=MS context=0|1 checkpoint=0|1 call=0|1 plain=0|1
// so that the gateway, which passes the text on, and the proxy, which copies the request, ask for the same.
const MARK = "play deltas=";
const words = [" the", " quick", " brown", " fox", " jumps", " over", " the", " lazy", " dog", "."];

/** The tool that is called where a request wants a call. */
export const CALLED_TOOL = "read_file";

export const word = (index) => words[index % words.length];

/** The whole text of a reply of this many deltas. */
export function spokenText(deltas) {
  return Array.from({ length: deltas }, (_, index) => word(index)).join("");
}

const defaults = { deltas: 1, chunk: 1, pause: 0, context: 0, checkpoint: 0, call: 0, plain: 0 };

export function writeSpec(wanted) {
  const spec = { ...defaults, ...wanted };
  return `play ${Object.entries(spec)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")}.`;
}

/** Reads the last specification in the bytes. Earlier ones belong to earlier turns of the conversation. */
export function readSpec(bytes) {
  const at = bytes.lastIndexOf(MARK);
  const text = at === -1 ? "" : bytes.toString("latin1", at, at + 120).split(".", 1)[0];
  const number = (name) => Number(new RegExp(`\\b${name}=(\\d+)`).exec(text)?.[1] ?? defaults[name]);
  return Object.fromEntries(Object.keys(defaults).map((name) => [name, number(name)]));
}

/** The chunks of a reply as buffers, made once for each kind of reply. */
export function chunkCache() {
  const made = new Map();
  return (kind, { deltas, chunk }, encode) => {
    const key = `${kind} ${deltas} ${chunk}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const chunks = [];
    for (let from = 0; from < deltas; from += chunk) {
      const size = Math.min(chunk, deltas - from);
      chunks.push(Buffer.concat(Array.from({ length: size }, (_, offset) => Buffer.from(encode(from + offset)))));
    }
    made.set(key, chunks);
    return chunks;
  };
}

/** Writes the chunks at their pace, or as fast as the reader takes them. `onChunk` is called with each. */
export function play(stream, chunks, { pauseMs, onChunk, last }) {
  let at = 0;
  const step = () => {
    while (at < chunks.length) {
      if (stream.destroyed) return;
      const goesOn = stream.write(chunks[at++]);
      onChunk();
      if (pauseMs > 0) return void setTimeout(step, pauseMs);
      if (!goesOn) return void stream.once("drain", step);
    }
    if (!stream.destroyed) last();
  };
  step();
}
