/** One event of a streamed reply. */
export interface Frame {
  readonly event?: string;
  /** JSON, except for the end marks of some dialects. */
  readonly data: string;
}

/** How frames follow each other in the body of an answer. A dialect whose clients read another form has its own. */
export interface Framing {
  readonly contentType: string;
  /** The text before the data of a frame. */
  readonly before: (event?: string) => string;
  /** The text after it. */
  readonly after: string;
  /** A note for people who read the stream; clients skip it. Empty if the format has no comments. */
  readonly comment: (text: string) => string;
  /**
   * Sent in a long silence: clients skip it, and proxies see that the connection is alive. Empty if the format has nothing of
   * the kind.
   */
  readonly keepAlive: string;
}

export const serverSentEvents: Framing = {
  contentType: "text/event-stream; charset=utf-8",
  before: (event) => (event === undefined ? "data: " : `event: ${event}\ndata: `),
  after: "\n\n",
  comment: (text) => `: ${text}\n\n`,
  keepAlive: ": keep-alive\n\n",
};

/**
 * Where an encoder writes the frames of a reply. Each transport has its own text before and after a frame. An encoder asks for
 * it once and writes whole frames, so that a delta costs no more than its text and frames are never cut apart again.
 */
export interface FrameWriter extends Pick<Framing, "before" | "after"> {
  /** Takes one complete frame. */
  write(frame: string): void;
  /** Takes a note for people who read the stream; clients skip it. */
  comment(text: string): void;
}

/** Collects frames as the text of a body. */
export class FrameText implements FrameWriter {
  readonly framing: Framing;
  readonly before: Framing["before"];
  readonly after: string;
  #text = "";

  constructor(framing: Framing) {
    this.framing = framing;
    this.before = framing.before;
    this.after = framing.after;
  }

  write(frame: string): void {
    this.#text += frame;
  }

  comment(text: string): void {
    this.#text += this.framing.comment(text);
  }

  /** What was written since it was last taken. */
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

/** The frame with the text before and after it. */
export function toText({ event, data }: Frame, out: Pick<FrameWriter, "before" | "after">): string {
  return out.before(event) + data + out.after;
}
