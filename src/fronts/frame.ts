/** One event of a streamed reply. */
export interface Frame {
  readonly event?: string;
  /** JSON, but for the marks that some dialects have. */
  readonly data: string;
}

/**
 * Where an encoder writes the frames of a reply. Each transport has its own bounds of a frame. An encoder asks for them once and
 * writes whole frames: so a delta costs no more than its text, and nobody cuts frames apart again.
 */
export interface FrameWriter {
  /** What stands before the data of a frame. */
  before(event?: string): string;
  /** What stands behind it. */
  readonly after: string;
  /** Takes one frame, between its bounds. */
  write(frame: string): void;
  /** Takes words for people who watch, which clients pass over. */
  comment(text: string): void;
}

export function writeFrame(out: FrameWriter, frame: Frame): void {
  out.write(toText(frame, out));
}

/** The frame between its bounds. */
export function toText({ event, data }: Frame, out: Pick<FrameWriter, "before" | "after">): string {
  return out.before(event) + data + out.after;
}
