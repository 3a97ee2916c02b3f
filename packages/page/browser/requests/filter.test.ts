import { expect, it } from "vitest";
import { sampleEntry } from "../../../../testing/ledger/sample-entries.js";
import { hrefOf, parseRoute } from "../parts/route.js";
import { everything, filterOf, hasId, isListed, listPath, namesOf, queryOf } from "./filter.js";

const hard = { client: "a/b c", model: "m&x=1", isFailed: true, id: "3f2#?" };

it("is kept in the address, along with the open request", () => {
  for (const filter of [everything, hard]) {
    const route = parseRoute(hrefOf("requests", "req/1", queryOf(filter)));
    expect(filterOf(route.query)).toEqual(filter);
    expect(route.item).toBe("req/1");
  }
});

it("sends the gateway the filters that it supports", () => {
  expect(listPath(everything, 100)).toBe("requests?limit=100");
  const query = new URLSearchParams(listPath(hard, 50, "k:1/é").split("?")[1]);
  expect(Object.fromEntries(query)).toEqual({
    client: "a/b c",
    model: "m&x=1",
    failed: "1",
    before: "k:1/é",
    limit: "50",
  });
});

it.each([
  [{ client: "opencode" }, ["left"]],
  [{ model: "auto" }, ["other"]],
  [{ isFailed: true }, ["other"]],
  [{ client: "opencode", isFailed: true }, []],
])("%j matches the same requests as in the gateway", (filter, ids) => {
  const entries = [
    sampleEntry({ id: "left", client: "opencode", outcome: "client-left" }),
    sampleEntry({ id: "other", client: "opencoder", model: "auto", outcome: "timeout" }),
  ];
  expect(entries.filter((entry) => isListed(entry, { ...everything, ...filter })).map(({ id }) => id)).toEqual(ids);
});

it("finds part of an id, ignoring case", () => {
  const entry = sampleEntry({ id: "3f2A-7f11" });
  expect(["", " 3F2a ", "7f", "9"].map((id) => hasId(entry, { ...everything, id }))).toEqual([true, true, true, false]);
});

it("offers each name once, and always the chosen one", () => {
  expect(namesOf(["cline", "cline", "aider", ""], "zed")).toEqual(["aider", "cline", "zed"]);
});
