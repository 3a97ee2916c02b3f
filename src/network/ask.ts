import { GatewayError } from "../turn/error.js";
import type { Network } from "./network.js";
import { unreachable } from "./unreachable.js";

interface HttpRequest {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

export interface ResponseHead {
  readonly status: number;
  readonly header: (name: string) => string;
}

export interface HttpResponse extends ResponseHead {
  readonly body: Buffer;
}

/**
 * Makes a unary call over HTTP/1.1, as most do in Cursor's own clients.
 * @throws GatewayError `upstream_unreachable` when the network fails, `canceled` when the signal aborts. Any status is returned.
 */
export async function ask(network: Pick<Network, "fetch">, url: URL, request: HttpRequest): Promise<HttpResponse> {
  try {
    // A redirect is an error, because the credential must not go to another host.
    const response = await network.fetch(url, { ...request, redirect: "error" });
    const body = Buffer.from(await response.arrayBuffer());
    return { status: response.status, header: (name) => response.headers.get(name) ?? "", body };
  } catch (cause) {
    const { aborted, reason } = request.signal;
    const hasLeft = aborted && !(reason instanceof Error && reason.name === "TimeoutError");
    if (hasLeft) throw new GatewayError("canceled", "The call to Cursor was canceled.", { cause });
    throw unreachable(url.origin, cause);
  }
}
