/** One event of a streamed reply. */
export interface Frame {
  readonly event?: string;
  /** JSON, but for the marks that some dialects have. */
  readonly data: string;
}

/** How frames follow one another in the body of an answer. A dialect whose clients read another form brings its own. */
export interface Framing {
  readonly contentType: string;
  /** What stands before the data of a frame. */
  readonly before: (event?: string) => string;
  /** What stands behind it. */
  readonly after: string;
  /** Words for people who watch, which clients pass over; empty where there is no place for them. */
  readonly comment: (text: string) => string;
  /** What is said in a long silence: clients skip it, and proxies count it as life. Empty where there is no such thing. */
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
 * Where an encoder writes the frames of a reply. Each transport has its own bounds of a frame. An encoder asks for them once and
 * writes whole frames: so a delta costs no more than its text, and nobody cuts frames apart again.
 */
export interface FrameWriter extends Pick<Framing, "before" | "after"> {
  /** Takes one frame, between its bounds. */
  write(frame: string): void;
  /** Takes words for people who watch, which clients pass over. */
  comment(text: string): void;
}

/** Joins frames to the text of a body. */
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

  /** What was written since the last time. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }
}

export function writeFrame(out: FrameWriter, frame: Frame): void {
  out.write(toText(frame, out));
}

/** The frame between its bounds. */
export function toText({ event, data }: Frame, out: Pick<FrameWriter, "before" | "after">): string {
  return out.before(event) + data + out.after;
}
