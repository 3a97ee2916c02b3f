import { parseSse, type SseEvent } from "./parse-sse.js";

/** Reads a whole streamed body in the framing that its content type names. */
export function parseStream(contentType: string, body: string): SseEvent[] {
  const [mediaType] = contentType.split(";");
  switch (mediaType) {
    case "text/event-stream":
      return parseSse(body);
    case "application/x-ndjson":
      return parseLines(body);
    default:
      throw new Error(`a stream of type ${mediaType}`);
  }
}

function parseLines(body: string): SseEvent[] {
  if (body === "") return [];
  if (!body.endsWith("\n")) throw new Error("the last line is not closed");
  return body
    .slice(0, -1)
    .split("\n")
    .map((data) => {
      if (data === "") throw new Error("an empty line");
      return { event: undefined, data };
    });
}
