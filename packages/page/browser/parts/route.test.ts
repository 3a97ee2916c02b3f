import { expect, it } from "vitest";
import { hrefOf, parseRoute } from "./route.js";

it.each([
  ["", { view: "now", item: undefined, query: {} }],
  ["#/usage", { view: "usage", item: undefined, query: {} }],
  ["#/requests/req%2F1", { view: "requests", item: "req/1", query: {} }],
  ["#/requests/%E0%A4%A", { view: "requests", item: undefined, query: {} }],
  ["#/usage?days=30&measure=cost", { view: "usage", item: undefined, query: { days: "30", measure: "cost" } }],
  ["#/usage?%E0%A4%A&=", { view: "usage", item: undefined, query: expect.anything() }],
  ["#/nowhere/x", { view: "now", item: undefined, query: {} }],
])("%j leads to a view", (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
});

it("parses its own links", () => {
  const hard = "a/b c#?&=%+é";
  expect(parseRoute(hrefOf("requests", hard))).toEqual({ view: "requests", item: hard, query: {} });
  expect(parseRoute(hrefOf("requests", undefined, { client: hard, model: "" }))).toEqual({
    view: "requests",
    item: undefined,
    query: { client: hard },
  });
});

it("omits an empty query", () => {
  expect(hrefOf("requests", undefined, { client: "" })).toBe("#/requests");
});
