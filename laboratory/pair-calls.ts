import { childOf } from "../packages/cli/commands/doctor/live/captured-run.js";
import { isHeartbeat, isRun } from "../packages/wire/messages/calls.js";
import type { Capture, CapturedCall, FrameLine } from "../packages/wire/messages/capture-format.js";

/** Calls of two captures that ought to be alike. */
export interface Pair {
  readonly one: readonly CapturedCall[];
  readonly other: readonly CapturedCall[];
  /** Of runs; all single calls of one path are one pair. */
  readonly http?: string;
  /** Runs are compared one by one, but how they end depends on when their client leaves, so all ends are compared together. */
  readonly takes: "everything" | "ends" | "messages";
}

/** Pairs the runs of each transport with the same prompt, in their order. The last one stands for those that a side lacks. */
export function pairCalls(one: Capture, other: Capture): readonly Pair[] {
  const inPairs = (takes: Pair["takes"], keyOf: (call: CapturedCall) => string | undefined) => {
    const [ones, others] = [groupBy(one.calls, keyOf), groupBy(other.calls, keyOf)];
    const keys = [...new Set([...ones.keys(), ...others.keys()])].filter((key) => key !== undefined);
    return keys.map((key): Pair => {
      const [mine, theirs] = [ones.get(key) ?? [], others.get(key) ?? []];
      const http = takes === "everything" ? undefined : (mine[0] ?? theirs[0])?.opening.http;
      return { one: mine, other: theirs, takes, ...(http !== undefined && { http }) };
    });
  };
  const runs = inPairs("messages", (call) => {
    const { path, http } = call.opening;
    return isRun(path) ? `${http} ${promptOf(call)}` : undefined;
  });
  const oneByOne = runs.flatMap((pair) =>
    Array.from({ length: Math.max(pair.one.length, pair.other.length) }, (_, index): Pair => {
      const nth = (calls: readonly CapturedCall[]) => calls.slice(Math.min(index, calls.length - 1)).slice(0, 1);
      return { ...pair, one: nth(pair.one), other: nth(pair.other) };
    }),
  );
  const place = ({ one: [call] }: Pair) => call?.opening.call ?? Number.POSITIVE_INFINITY;
  return [
    ...inPairs("everything", ({ opening: { path } }) => (isRun(path) ? undefined : path)),
    ...inPairs("ends", ({ opening: { path, http } }) => (isRun(path) ? http : undefined)),
    ...oneByOne.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)),
  ];
}

export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** What the user says at the beginning of a run; the doctor's prompts are shown in its captures. */
function promptOf({ events }: CapturedCall): string {
  const request = events.find((event) => event.type === "frame" && event.path === "run_request");
  const body = request?.type === "frame" ? request.body : undefined;
  const text = childOf(childOf(body, "user_message"), "text");
  return text?.kind === "text" ? text.pieces.filter((piece) => typeof piece === "string").join("…") : "";
}

/** Whether the run ended with an error, or without the end that it ought to have. */
export function hasFailed({ events }: CapturedCall): boolean {
  const end = events.findLast(({ type }) => type === "end");
  if (end?.type !== "end") return false;
  return childOf(end.body, "error") !== undefined || !["complete", "end-frame", "canceled"].includes(end.how);
}

/** Whether the client left before the turn had ended. */
export function wasLeft({ events }: CapturedCall): boolean {
  const isEnd = (event: CapturedCall["events"][number]) => event.type === "frame" && event.path.endsWith(".turn_ended");
  return events.some((event) => event.type === "end" && event.how === "canceled") && !events.some(isEnd);
}

/** The most messages that a server repeats in turn, such as some text and its tokens. */
const MAX_TURN = 4;

/** The server's messages in their order, repetitions once. */
export function orderOf({ events }: CapturedCall, isWanted: (path: string) => boolean): string[] {
  const frames = events.filter((event): event is FrameLine => event.type === "frame" && event.from === "server");
  const order: string[] = [];
  for (const frame of frames) {
    if (isHeartbeat(frame) || !isWanted(frame.path)) continue;
    order.push(frame.path);
    for (let size = 1; size <= MAX_TURN && 2 * size <= order.length; size++) {
      const [before, last] = [order.slice(-2 * size, -size), order.slice(-size)];
      if (before.every((path, index) => path === last[index])) order.splice(-size);
    }
  }
  return order;
}
