import type { FrameWriter } from "../frame.js";

/** Joins frames to the text of an event stream. */
export class SseFrames implements FrameWriter {
  readonly after = "\n\n";
  #text = "";

  before(event?: string): string {
    return event === undefined ? "data: " : `event: ${event}\ndata: `;
  }

  write(frame: string): void {
    this.#text += frame;
  }

  comment(text: string): void {
    this.#text += `: ${text}\n\n`;
  }

  /** What was written since the last time. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }
}
