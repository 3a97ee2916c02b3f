import { type Agent, type IncomingMessage, request } from "node:http";
import { request as requestSecurely } from "node:https";

/** Answers of sign-in and account calls are small. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** What our own calls use of `fetch`. Redirects are never followed: a credential goes nowhere but where it was sent. */
export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly redirect?: "error" | "manual";
  readonly signal?: AbortSignal;
}

/**
 * `fetch` over an agent of ours: Node's own cannot be told of a proxy before version 24, and sends headers of a browser along,
 * which no client of Cursor's does.
 */
export async function fetchOver(agent: Agent, url: URL, init: FetchInit): Promise<Response> {
  const { method = "GET", headers = {}, body = "", signal } = init;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    (url.protocol === "https:" ? requestSecurely : request)(url, {
      agent,
      method,
      headers: { ...headers, "accept-encoding": "identity", "content-length": Buffer.byteLength(body) },
      ...(signal !== undefined && { signal }),
    })
      .once("response", resolve)
      .once("error", reject)
      .end(body);
  });
  const { statusCode: status = 0 } = response;
  if (init.redirect === "error" && status >= 300 && status < 400) {
    response.destroy();
    throw new Error("unexpected redirect");
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`more than ${MAX_BODY_BYTES} bytes came back`);
    parts.push(part);
  }
  const told = new Headers();
  for (const [name, value] of Object.entries(response.headers)) if (value !== undefined) told.set(name, String(value));
  return new Response(bytes === 0 ? null : Buffer.concat(parts), { status, headers: told });
}
