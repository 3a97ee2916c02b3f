import type { LiveRequest, WaitingRun } from "../../access/contract.js";

type Phase = "planning" | "waiting" | "streaming";

export const phaseWords: Readonly<Record<Phase, string>> = {
  planning: "Planning",
  waiting: "Waiting for Cursor",
  streaming: "Streaming",
};

export function phaseOf({ plannedMs, firstByteMs }: LiveRequest): Phase {
  if (plannedMs === null) return "planning";
  return firstByteMs === null ? "waiting" : "streaming";
}

export function phaseShares(request: LiveRequest, nowMs: number): Readonly<Record<Phase, number>> {
  const { startedMs, plannedMs, firstByteMs } = request;
  const endMs = Math.max(nowMs, startedMs + 1);
  const totalMs = endMs - startedMs;
  const planned = within(plannedMs ?? endMs, startedMs, endMs);
  const first = within(firstByteMs ?? endMs, planned, endMs);
  return {
    planning: (planned - startedMs) / totalMs,
    waiting: (first - planned) / totalMs,
    streaming: (endMs - first) / totalMs,
  };
}

/** Whole seconds, because faster changing numbers are unreadable. */
export function elapsed(startedMs: number, nowMs: number): string {
  const seconds = Math.floor(Math.max(0, nowMs - startedMs) / 1_000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The remaining lease of a waiting run, as a share and in words. */
export function leaseLeft({ pausedMs, leaseEndsMs }: Pick<WaitingRun, "pausedMs" | "leaseEndsMs">, nowMs: number) {
  const leftMs = Math.max(0, leaseEndsMs - nowMs);
  const share = leaseEndsMs > pausedMs ? Math.min(1, leftMs / (leaseEndsMs - pausedMs)) : 0;
  const minutes = Math.floor(leftMs / 60_000);
  if (leftMs === 0) return { share, words: "ends now" };
  if (minutes === 0) return { share, words: "under a minute left" };
  if (minutes < 60) return { share, words: `${minutes} min left` };
  return { share, words: `${Math.floor(minutes / 60)} h ${minutes % 60} min left` };
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
