/** Sees every call to Cursor and every message in it. Present only while a capture is made. */
export interface Recorder {
  open(opening: CallOpening): CallRecord;
}

export interface CallOpening {
  readonly method: string;
  readonly path: string;
  readonly http: "1.1" | "2";
  readonly headers: Readonly<Record<string, unknown>>;
}

/** `complete` is for a single response, `cut-off` for a stream without its end frame, `canceled` if we left, `unreachable` without a response. */
export type CallEnding = "complete" | "end-frame" | "cut-off" | "reset" | "canceled" | "unreachable";

/** One call. The bytes are copied, because the caller may reuse their buffer. */
export interface CallRecord {
  /** One message of ours, without its envelope, or the whole body. */
  sent(message: Uint8Array): void;
  answered(status: number, headers: Readonly<Record<string, unknown>>): void;
  /** One message of Cursor's, without its envelope, or a part of a body that is not a stream of messages. */
  received(message: Uint8Array): void;
  /** The first call counts. `json` is the text of an end frame, `code` the HTTP/2 code of a reset. */
  ended(how: CallEnding, details?: { readonly json?: string; readonly code?: number }): void;
}
