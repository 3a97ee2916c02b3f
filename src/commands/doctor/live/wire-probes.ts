import { probeOldChat } from "./old-chat.js";
import { asExpected, harmless, notShown, type Probe } from "./probe.js";

/** A stream that stays open longer than this behind `turn_ended` is reported. */
const PROMPT_END_MS = 2_000;

export const turnEnd: Probe = {
  claims: [{ name: "turn end", claim: "Cursor closes the stream soon after turn_ended" }],
  turns: 0,
  async *run({ watch }) {
    const finished = watch.runs.flatMap(({ turnEndedMs, endedMs, ending }) =>
      turnEndedMs === undefined || endedMs === undefined ? [] : [{ afterMs: endedMs - turnEndedMs, ending }],
    );
    if (finished.length === 0) return yield notShown("No run reached its turn_ended.");
    const slowest = Math.round(Math.max(...finished.map(({ afterMs }) => afterMs)));
    const others = finished.filter(({ ending }) => ending !== "end-frame");
    const how = [...new Set(others.map(({ ending }) => ending))].join(", ");
    if (others.length > 0) {
      yield harmless(
        `${others.length} of ${finished.length} streams had no orderly end (${how}). Curlew ended each at most ${slowest} ms later.`,
      );
    } else if (slowest > PROMPT_END_MS) yield harmless(`It took up to ${slowest} ms.`);
    else yield asExpected(`At most ${slowest} ms later, in ${finished.length} runs.`);
  },
};

export const unknownFields: Probe = {
  claims: [{ name: "unknown fields", claim: "Cursor sends nothing that this build does not know" }],
  turns: 0,
  async *run({ watch }) {
    if (watch.runs.length === 0) return yield notShown("Only the agent backend has runs.");
    if (watch.unknown.size === 0) return yield asExpected("Every field of every message is known.");
    const list = [...watch.unknown].map(([name, count]) => `${name} (${count} times)`).sort();
    yield harmless(`Message and field number: ${list.join(", ")}. Please report them.`);
  },
};

export const oldChat: Probe = {
  claims: [{ name: "old chat", claim: "The chat calls from before the agent protocol are retired" }],
  turns: 0,
  async *run({ composed }) {
    yield await probeOldChat(composed);
  },
};
