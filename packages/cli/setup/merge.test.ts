import { describe, expect, it } from "vitest";
import { applied, editsFor, listItems, unlessSet, type Wanted } from "./merge.js";

const list: Wanted = { list: listItems("name", [{ name: "curlew/b", n: 1 }, { name: "curlew/c" }]) };
const mine = { name: "mine" };
const calm: Wanted = { tools: { mode: unlessSet("ask") } };

describe("wanted settings", () => {
  it.each([
    [
      "are appended to a list",
      list,
      { list: [mine] },
      { list: [mine, { name: "curlew/b", n: 1 }, { name: "curlew/c" }] },
    ],
    [
      "replace ours in a list, in their order, beside what the user added",
      list,
      { list: [{ name: "curlew/c", x: 1 }, mine, { name: "Curlew: b" }] },
      { list: [{ name: "curlew/b", n: 1, x: 1 }, mine, { name: "curlew/c" }] },
    ],
    [
      "remove those of ours that are too many, and nothing else that begins alike",
      list,
      { list: [{ name: "curlew" }, { name: "curlew-mine" }, { name: "Curlew" }, mine, { name: "curlew/d" }] },
      { list: [{ name: "curlew/b", n: 1 }, { name: "curlew-mine" }, { name: "curlew/c" }, mine] },
    ],
    ["are written where there is no value", calm, {}, { tools: { mode: "ask" } }],
    ["are written beside others", calm, { tools: { a: 1 } }, { tools: { a: 1, mode: "ask" } }],
    ["leave the user's own choice alone", calm, { tools: { mode: "auto" } }, { tools: { mode: "auto" } }],
  ])("%s", (_, wanted, current, result) => {
    expect(applied(current, editsFor(current, wanted))).toEqual(result);
    expect(editsFor(result, wanted)).toEqual([]);
  });
});
