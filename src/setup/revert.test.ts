import { describe, expect, it } from "vitest";
import { applied } from "./merge.js";
import { editsToRevert } from "./revert.js";

const cases = [
  {
    name: "a member of a list goes, also with something added to it, and the others stay",
    original: { list: [{ id: "theirs" }] },
    written: { list: [{ id: "theirs" }, { id: "ours", url: "u" }] },
    now: { list: [{ id: "theirs", more: 1 }, { id: "ours", url: "u", index: 7 }, { id: "new" }] },
    result: { list: [{ id: "theirs", more: 1 }, { id: "new" }] },
  },
  {
    name: "a list that was made for us goes with its only member",
    original: {},
    written: { list: [{ id: "ours" }] },
    now: { list: [{ id: "ours", index: 0 }], other: true },
    result: { other: true },
  },
  {
    name: "an earlier value comes back, unless it has been changed since",
    original: { model: "theirs", kept: "theirs" },
    written: { model: "ours", kept: "ours" },
    now: { model: "ours", kept: "newer", other: 1 },
    result: { model: "theirs", kept: "newer", other: 1 },
  },
  {
    name: "what was added beside ours stays",
    original: {},
    written: { env: { OURS: "1" } },
    now: { env: { OURS: "1", THEIRS: "2" } },
    result: { env: { THEIRS: "2" } },
  },
];

describe("taking back", () => {
  it.each(cases)("$name", ({ original, written, now, result }) => {
    expect(applied(now, editsToRevert(now, written, original))).toEqual(result);
  });
});
