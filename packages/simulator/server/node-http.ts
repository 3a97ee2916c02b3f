import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** A request and its response on either HTTP version. */
export type SimRequest = IncomingMessage | Http2ServerRequest;
export type SimResponse = ServerResponse | Http2ServerResponse;

export class BodyTooLarge extends Error {}

/** Reads a body. One that is too long is not read further, but the request stays open so that the refusal can be sent. */
export async function readBody(request: SimRequest, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new BodyTooLarge(`The body has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function pathOf(request: SimRequest): string {
  return (request.url ?? "/").split("?", 1)[0] ?? "/";
}

/** All headers as text, without HTTP/2's pseudo-headers. */
export function headersOf(request: SimRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(":")) continue;
    headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}

/** Whether the reader of the response has gone. */
function isGone(response: SimResponse): boolean {
  return "stream" in response ? response.stream.destroyed : response.destroyed;
}

export function sendJson(response: SimResponse, status: number, value: unknown): void {
  send(response, status, "application/json; charset=utf-8", JSON.stringify(value));
}

export function send(response: SimResponse, status: number, contentType: string, body: string | Uint8Array): void {
  if (isGone(response)) return;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  response.statusCode = status;
  response.setHeader("content-type", contentType);
  response.setHeader("content-length", bytes.byteLength);
  response.end(bytes);
}
