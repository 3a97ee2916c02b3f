import { expect, it } from "vitest";
import { sampleLive } from "../../../../testing/page/sample-live.js";
import type { PageEntry } from "../../access/contract.js";
import { LINGER_MS, type LiveRow, MAX_ROWS, nextRows } from "./live-rows.js";

const entryOf = (id: string, outcome = "ok") =>
  ({ id, client: "opencode/1.4.2", model: "composer-2.5", round: 0, outcome, totalMs: 1_200 }) as PageEntry;

interface Step {
  /** Newest first. */
  readonly open?: readonly string[];
  readonly more?: number;
  readonly ended?: readonly PageEntry[];
  readonly atMs?: number;
  readonly isHeld?: boolean;
}

function play(...steps: readonly Step[]): readonly LiveRow[] {
  return steps.reduce<readonly LiveRow[]>((rows, step) => {
    const { open = [], more = 0, ended = [], atMs = 0, isHeld = false } = step;
    const requests = open.map((id) => sampleLive({ id }));
    return nextRows(rows, { requests, moreRequests: more, ended, nowMs: atMs, isHeld });
  }, []);
}

const ids = (rows: readonly LiveRow[]) => rows.map(({ id }) => id);
const kinds = (rows: readonly LiveRow[]) => rows.map(({ state }) => state.kind);
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `r${from + index}`);

it("adds new requests at the end, so that no row moves", () => {
  expect(ids(play({ open: ["b", "a"] }, { open: ["d", "c", "b", "a"] }))).toEqual(["a", "b", "c", "d"]);
});

it("keeps the row of an ended request for a while", () => {
  const steps = [{ open: ["b", "a"] }, { open: ["b"], atMs: 100 }];
  const rows = play(...steps);
  expect([ids(rows), kinds(rows)]).toEqual([
    ["a", "b"],
    ["ended", "open"],
  ]);
  expect(ids(play(...steps, { open: ["b"], atMs: 100 + LINGER_MS }))).toEqual(["b"]);
});

it("removes nothing while the list is pointed at", () => {
  const rows = play({ open: ["a"] }, { atMs: 100 }, { atMs: 100 + 2 * LINGER_MS, isHeld: true });
  expect(ids(rows)).toEqual(["a"]);
});

it("shows how a request ended, whichever message comes first", () => {
  const over = { kind: "ended", outcome: "timeout", totalMs: 1_200 };
  const [listFirst] = play({ open: ["a"] }, {}, { ended: [entryOf("a", "timeout")] });
  const [newsFirst] = play({ open: ["a"] }, { open: ["a"], ended: [entryOf("a", "timeout")] }, { open: ["a"] });
  expect(listFirst?.state).toMatchObject(over);
  expect(newsFirst?.state).toMatchObject(over);
});

it("shows a request that ended before it was listed", () => {
  expect(kinds(play({ ended: [entryOf("a")] }))).toEqual(["ended"]);
  expect(kinds(play({ open: ["a"], ended: [entryOf("a")] }))).toEqual(["ended"]);
});

it("gives a new request the row that ended first if the list is full", () => {
  const first = numbered(MAX_ROWS);
  const full = { open: first.toReversed() };
  const without = (...gone: string[]) => full.open.filter((id) => !gone.includes(id));
  const rows = play(
    full,
    { open: without("r3"), atMs: 10 },
    { open: without("r3", "r1"), atMs: 20 },
    { open: ["new", ...without("r3", "r1")], atMs: 30 },
  );
  expect(ids(rows)).toEqual(first.map((id) => (id === "r3" ? "new" : id)));
});

it("stays short under any load", () => {
  const open = numbered(50).toReversed();
  const rows = play({ open, ended: numbered(50, 100).map((id) => entryOf(id)) }, { ended: [entryOf("x")] });
  expect(rows).toHaveLength(MAX_ROWS);
});

it("does not mistake an unsent request for an ended one", () => {
  expect(ids(play({ open: ["b", "a"] }, { open: ["c", "b"], more: 1 }))).toEqual(["b", "c"]);
  expect(kinds(play({ open: ["b", "a"] }, { open: ["c", "b"], more: 1, ended: [entryOf("a")] }))).toEqual([
    "ended",
    "open",
    "open",
  ]);
});

it("returns the same array if nothing happens", () => {
  const none: readonly LiveRow[] = [];
  expect(nextRows(none, { requests: [], moreRequests: 0, ended: [], nowMs: 1, isHeld: false })).toBe(none);
});
