export interface SseEvent {
  /** Empty for an event without a name. */
  readonly name: string;
  readonly data: string;
}

/** Cuts a stream of text into server-sent events, however its chunks are cut. */
export class SseReader {
  #rest = "";

  push(chunk: string): SseEvent[] {
    const blocks = (this.#rest + chunk).split(/\r?\n\r?\n/);
    this.#rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => {
      const event = parse(block);
      return event === undefined ? [] : [event];
    });
  }
}

/** Undefined for comments, which only show that the stream is alive. */
function parse(block: string): SseEvent | undefined {
  let name = "";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) name = line.slice("event:".length).trim();
    else if (line.startsWith("data:")) data.push(line.slice("data:".length).replace(/^ /, ""));
  }
  return data.length === 0 ? undefined : { name, data: data.join("\n") };
}

/** The events of an answer, as they come. `onChunk` hears of everything that comes, comments too. */
export async function* eventsOf(answer: Response, onChunk: () => void = () => {}): AsyncGenerator<SseEvent> {
  const reader = new SseReader();
  const chunks = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const chunk = await chunks?.read();
    if (chunk === undefined || chunk.done) return;
    onChunk();
    yield* reader.push(chunk.value);
  }
}
