export interface SseEvent {
  /** Empty for an event without a name. */
  readonly name: string;
  readonly data: string;
}

/** None for comments, which only show that the stream is alive. */
function parse(block: string): SseEvent[] {
  let name = "";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) name = line.slice("event:".length).trim();
    else if (line.startsWith("data:")) data.push(line.slice("data:".length).replace(/^ /, ""));
  }
  return data.length === 0 ? [] : [{ name, data: data.join("\n") }];
}

/** The events of an answer, however its chunks are cut. `onChunk` hears of everything that comes, comments too. */
export async function* eventsOf(answer: Response, onChunk: () => void = () => {}): AsyncGenerator<SseEvent> {
  let rest = "";
  const chunks = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const chunk = await chunks?.read();
    if (chunk === undefined || chunk.done) return;
    onChunk();
    const blocks = (rest + chunk.value).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    yield* blocks.flatMap(parse);
  }
}
