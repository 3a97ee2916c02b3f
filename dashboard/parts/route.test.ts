import { expect, it } from "vitest";
import { hrefOf, parseRoute } from "./route.js";

it.each([
  ["", { view: "now", item: undefined }],
  ["#/usage", { view: "usage", item: undefined }],
  ["#/requests/req%2F1", { view: "requests", item: "req/1" }],
  ["#/requests/%E0%A4%A", { view: "requests", item: undefined }],
  ["#/nowhere/x", { view: "now", item: undefined }],
])("%j leads to a view", (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
});

it("finds again what it has linked", () => {
  expect(parseRoute(hrefOf("requests", "a/b c#?"))).toEqual({ view: "requests", item: "a/b c#?" });
});
