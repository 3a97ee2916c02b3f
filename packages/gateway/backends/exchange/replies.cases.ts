import { ManualClock } from "../../../../testing/manual-clock.js";
import { ReplyWriter } from "./reply-writer.js";

/** A writer of replies with these parts; the others do nothing. */
export function repliesWith(parts: Partial<ConstructorParameters<typeof ReplyWriter>[0]> = {}): ReplyWriter {
  const clock = new ManualClock();
  return new ReplyWriter({ clock, quietMs: 1, estimatedTokens: 0, onTaken() {}, onPause() {}, ...parts });
}
