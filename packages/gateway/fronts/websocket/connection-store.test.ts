import { expect, it } from "vitest";
import { ConnectionStores } from "./connection-store.js";

it("a connection evicts its oldest replies at its limit", () => {
  const store = new ConnectionStores().open();
  const text = "x".repeat(5 * 1024 * 1024);
  for (const id of ["a", "b", "c"]) store.put(id, text);
  store.put("b", text);
  expect(["a", "b", "c"].map((id) => store.get(id)?.length)).toEqual([text.length, text.length, text.length]);
  store.put("d", text);
  expect(["a", "b", "c", "d"].map((id) => store.get(id) !== undefined)).toEqual([false, true, true, true]);
  expect(store.delete("c")).toBe(true);
  expect(store.delete("c")).toBe(false);
  store.put("e", text);
  expect(["b", "d", "e"].map((id) => store.get(id) !== undefined)).toEqual([true, true, true]);
});

it("all connections together are bounded, and a connection that ends frees its share", () => {
  const stores = new ConnectionStores();
  const text = "x".repeat(7 * 1024 * 1024);
  const connections = Array.from({ length: 5 }, () => stores.open());
  for (const store of connections) store.put("a", text);
  const kept = () => connections.map((store) => store.get("a") !== undefined);
  expect(kept()).toEqual([false, true, true, true, true]);
  connections[1]?.close();
  connections[0]?.put("a", text);
  expect(kept()).toEqual([true, false, true, true, true]);
});
