import { describe, expect, it } from "vitest";
import { toPage } from "./endpoints.js";

const items = ["a", "b", "c", "d"].map((id) => ({ id }));
const page = (query: Record<string, string>) => {
  const { data, ...rest } = toPage(items, (name) => query[name]);
  return { ids: data.map(({ id }) => id), ...rest };
};

describe("a page of items", () => {
  it.each([
    ["the newest first", {}, ["d", "c", "b", "a"], false],
    ["the oldest first", { order: "asc" }, ["a", "b", "c", "d"], false],
    ["the first two", { limit: "2" }, ["d", "c"], true],
    ["the next two", { limit: "2", after: "c" }, ["b", "a"], false],
    ["the rest in order", { order: "asc", after: "b" }, ["c", "d"], false],
  ])("has %s", (_, query, ids, has_more) => {
    expect(page(query)).toEqual({ object: "list", ids, has_more, first_id: ids[0], last_id: ids.at(-1) });
  });

  it("is empty after the last", () => {
    expect(page({ after: "a" })).toEqual({ object: "list", ids: [], has_more: false, first_id: null, last_id: null });
  });

  it.each([
    ["limit", "0"],
    ["limit", "101"],
    ["limit", "x"],
    ["order", "up"],
    ["after", "z"],
  ])("is refused for %s %s", (param, value) => {
    expect(() => page({ [param]: value })).toThrowError(expect.objectContaining({ code: "invalid_request", param }));
  });
});
