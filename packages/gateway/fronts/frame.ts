export interface Frame {
  readonly event?: string;
  /** JSON, except for the end marks of some dialects. */
  readonly data: string;
}

/** How frames follow each other in the body of an answer. */
export const serverSentEvents = {
  contentType: "text/event-stream; charset=utf-8",
  before: (event?: string) => (event === undefined ? "data: " : `event: ${event}\ndata: `),
  after: "\n\n",
  comment: (text: string) => `: ${text}\n\n`,
  keepAlive: ": keep-alive\n\n",
};

/** The output of an encoder, which asks only once for the text around a frame, so that a delta costs no more than its text. */
export interface FrameWriter {
  readonly before: (event?: string) => string;
  readonly after: string;
  write(frame: string): void;
  /** Takes a note for people who read the stream; clients skip it. */
  comment(text: string): void;
}

export class FrameText implements FrameWriter {
  readonly before = serverSentEvents.before;
  readonly after = serverSentEvents.after;
  #text = "";

  write(frame: string): void {
    this.#text += frame;
  }

  comment(text: string): void {
    this.#text += serverSentEvents.comment(text);
  }

  get untaken(): string {
    return this.#text;
  }

  /** Returns what was written since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }
}

export function writeFrame(out: FrameWriter, frame: Frame): void {
  out.write(toText(frame, out));
}

export function toText({ event, data }: Frame, out: Pick<FrameWriter, "before" | "after">): string {
  return out.before(event) + data + out.after;
}
