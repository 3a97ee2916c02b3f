import { parseSse } from "../../testing/clients/parse-sse.js";
import { postJson } from "../../testing/clients/post-json.js";
import type { Answer, Conversation, GoldenDialect } from "../../testing/golden/dialect.js";

/** How a request ended for its client. */
export type Outcome =
  | { readonly kind: "answered"; readonly answer: Answer }
  /** With an error, as a status or in the stream. */
  | { readonly kind: "failed" }
  /** The client left in the middle, or the connection broke. */
  | { readonly kind: "cut" };

interface Sending {
  readonly url: string;
  readonly dialect: GoldenDialect;
  readonly stream: boolean;
  /** Leaves after the first bytes of the reply. */
  readonly leaves?: boolean;
}

/** A client that names its requests, and knows which of them the gateway has accepted. */
export class RecordedClient {
  /** Requests that got a status, or bytes. */
  readonly accepted = new Set<string>();
  /** Requests that were sent and may or may not have come. */
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
      // The connection breaks when the gateway is killed; whatever else is wrong shows in the ledger.
      if (thrown instanceof TypeError || leaving.signal.aborted) return { kind: "cut" };
      throw thrown;
    }
  }
}
