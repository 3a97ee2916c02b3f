import type { SseEvent } from "../../testing/clients/parse-sse.js";
import type { VendorShape } from "../vendors/vendor-shape.js";

export interface Call {
  id: string;
  name: string;
  /** JSON text. */
  input: string;
}

/** What a reply said, in no dialect's words. */
export interface Answer {
  text: string;
  thinking: string;
  calls: readonly Call[];
  ending: "stop" | "calls" | "length" | "filtered" | "error";
}

export interface Picture {
  mimeType: string;
  base64: string;
}

export interface Tool {
  name: string;
  description: string;
  schema: Readonly<Record<string, unknown>>;
}

export type Line =
  | { role: "user"; text: string; picture?: Picture }
  | { role: "assistant"; answer: Answer }
  | { role: "results"; results: readonly { id: string; text: string }[] };

/** A conversation as a client holds it, and what it wants of the next answer. */
export interface Conversation {
  system?: string;
  lines: readonly Line[];
  tools?: readonly Tool[];
  thinks?: boolean;
  stop?: string;
  maxTokens?: number;
  schema?: Readonly<Record<string, unknown>>;
}

/** A dialect from the client's side. The judges throw at the first rule that a reply breaks. */
export interface GoldenDialect {
  /** Of the folder with its recorded streams. */
  readonly name: string;
  /** Of its front in the server's table. */
  readonly path: string;
  /** Whether requests may hold stop sequences. */
  readonly canStop: boolean;
  /** What the official package expects of whole replies, of the events of a stream, and of errors in either place; if there is one. */
  readonly shapes?: { readonly reply: VendorShape; readonly event: VendorShape; readonly error: VendorShape };
  /** Where the text of a delta may stand. */
  readonly deltaPaths: readonly string[];
  body(conversation: Conversation): Readonly<Record<string, unknown>>;
  judgeStream(events: readonly SseEvent[]): Answer;
  judgeReply(body: unknown): Answer;
  judgeError(status: number, body: unknown): void;
}

/** A dialect that has no recorded streams. */
export interface SkippedDialect {
  readonly path: string;
  /** The reason. */
  readonly skip: string;
}

export function post(
  url: string,
  dialect: GoldenDialect,
  conversation: Conversation,
  stream: boolean,
): Promise<Response> {
  return fetch(url + dialect.path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...dialect.body(conversation), stream }),
  });
}
