import type { VendorShape } from "../../tests/vendors/vendor-shape.js";
import type { SseEvent } from "../clients/parse-sse.js";
import { postJson } from "../clients/post-json.js";

export interface Call {
  id: string;
  name: string;
  /** JSON text. */
  input: string;
}

/** The content of a reply, independent of its dialect. */
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

/** A conversation as a client has it, and the options of the next request. */
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
  /** The name of the folder with its recorded streams. */
  readonly name: string;
  /** The name of its front in the server's table. */
  readonly path: string;
  /** Whether requests may have stop sequences. */
  readonly canStop: boolean;
  /** The official package's types of whole replies, of the events of a stream, and of errors in both, if it exists. */
  readonly shapes?: { readonly reply: VendorShape; readonly event: VendorShape; readonly error: VendorShape };
  /** The paths at which the text of a delta may be. */
  readonly deltaPaths: readonly string[];
  body(conversation: Conversation): Readonly<Record<string, unknown>>;
  judgeStream(events: readonly SseEvent[]): Answer;
  judgeReply(body: unknown): Answer;
  judgeError(status: number, body: unknown): void;
}

/** A dialect that has no recorded streams. */
export interface SkippedDialect {
  readonly path: string;
  /** Why it has none. */
  readonly skip: string;
}

export function post(
  url: string,
  dialect: GoldenDialect,
  conversation: Conversation,
  stream: boolean,
): Promise<Response> {
  return postJson(url + dialect.path, { ...dialect.body(conversation), stream });
}
