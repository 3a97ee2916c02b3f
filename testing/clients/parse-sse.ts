export interface SseEvent {
  event: string | undefined;
  data: string;
}

/** Reads a whole event stream and is strict about it; for tests. Comments are skipped. */
export function parseSse(stream: string): SseEvent[] {
  if (stream === "") return [];
  if (!stream.endsWith("\n\n")) throw new Error("the last event is not closed");
  return stream
    .slice(0, -2)
    .split("\n\n")
    .flatMap((block) => parseBlock(block.split("\n")));
}

function parseBlock(lines: readonly string[]): SseEvent[] {
  let event: string | undefined;
  let data: string | undefined;
  for (const line of lines) {
    if (line.includes("\r")) throw new Error("a carriage return would end the line");
    if (line.startsWith(":")) continue;
    const [, field, value = ""] = /^(event|data): (.*)$/su.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "data" && data === undefined) data = value;
    else throw new Error(`unexpected line: ${JSON.stringify(line.slice(0, 80))}`);
  }
  return data === undefined ? [] : [{ event, data }];
}
