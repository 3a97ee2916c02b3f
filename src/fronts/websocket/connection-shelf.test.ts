import { expect, it } from "vitest";
import { ConnectionShelves } from "./connection-shelf.js";

it("what a connection keeps is forgotten from the oldest on when it is too much", () => {
  const shelf = new ConnectionShelves().open();
  const text = "x".repeat(5 * 1024 * 1024);
  for (const id of ["a", "b", "c"]) shelf.put(id, text);
  shelf.put("b", text);
  expect(["a", "b", "c"].map((id) => shelf.get(id)?.length)).toEqual([text.length, text.length, text.length]);
  shelf.put("d", text);
  expect(["a", "b", "c", "d"].map((id) => shelf.get(id) !== undefined)).toEqual([false, true, true, true]);
  expect(shelf.delete("c")).toBe(true);
  expect(shelf.delete("c")).toBe(false);
  shelf.put("e", text);
  expect(["b", "d", "e"].map((id) => shelf.get(id) !== undefined)).toEqual([true, true, true]);
});

it("what all connections keep together is bounded, and a connection that ends makes room", () => {
  const shelves = new ConnectionShelves();
  const text = "x".repeat(7 * 1024 * 1024);
  const connections = Array.from({ length: 5 }, () => shelves.open());
  for (const shelf of connections) shelf.put("a", text);
  const kept = () => connections.map((shelf) => shelf.get("a") !== undefined);
  expect(kept()).toEqual([false, true, true, true, true]);
  connections[1]?.close();
  connections[0]?.put("a", text);
  expect(kept()).toEqual([true, false, true, true, true]);
});
