import { parseSse } from "../../testing/clients/parse-sse.js";
import { postJson } from "../../testing/clients/post-json.js";
import type { Answer, Conversation, GoldenDialect } from "../../testing/golden/dialect.js";

/** How a request ended for its client. */
export type Outcome =
  | { readonly kind: "answered"; readonly answer: Answer }
  /** An error, as a status or in the stream. */
  | { readonly kind: "failed" }
  /** The client disconnected, or the connection broke. */
  | { readonly kind: "cut" };

interface Sending {
  readonly url: string;
  readonly dialect: GoldenDialect;
  readonly stream: boolean;
  /** Disconnects after the first bytes of the reply. */
  readonly leaves?: boolean;
}

/** A client that names its requests and records which ones the gateway accepted. */
export class RecordedClient {
  /** Requests that got a status, or bytes. */
  readonly accepted = new Set<string>();
  /** All sent requests, which may not have arrived. */
  readonly sent = new Set<string>();
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  async send(conversation: Conversation, { url, dialect, stream, leaves = false }: Sending): Promise<Outcome> {
    const id = `${this.#prefix}-${this.sent.size}`;
    this.sent.add(id);
    const leaving = new AbortController();
    try {
      const headers = { "x-request-id": id, "user-agent": "recorded-client/1" };
      const body = { ...dialect.body(conversation), stream };
      const response = await postJson(url + dialect.path, body, headers, leaving.signal);
      this.accepted.add(id);
      if (leaves) {
        await response.body?.getReader().read();
        leaving.abort();
        return { kind: "cut" };
      }
      const text = await response.text();
      if (!response.ok) return { kind: "failed" };
      const answer = stream ? dialect.judgeStream(parseSse(text)) : dialect.judgeReply(JSON.parse(text));
      return answer.ending === "error" ? { kind: "failed" } : { kind: "answered", answer };
    } catch (thrown) {
      // The connection breaks when the gateway is killed; other faults show in the ledger.
      if (thrown instanceof TypeError || leaving.signal.aborted) return { kind: "cut" };
      throw thrown;
    }
  }
}
