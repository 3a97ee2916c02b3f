import { existsSync, rmSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { ConversationStores } from "./stores.js";

let folder: string;
let stores: ConversationStores;
beforeEach(() => {
  folder = temporaryFolder();
  stores = new ConversationStores(folder);
});

it("resumes in the same folder, with the same agent, also after a restart", () => {
  const first = stores.begin(undefined);
  const state = stores.stateAfter(first, "agent-1");
  const second = new ConversationStores(folder).begin(state);
  expect(second).toMatchObject({ folder: first.folder, agentId: "agent-1" });
  expect(second.turn).not.toBe(first.turn);
});

it("does not resume from before a later turn, or from a folder that is gone", () => {
  const first = stores.begin(undefined);
  const state = stores.stateAfter(first, "agent-1");
  stores.begin(state);
  expect(() => stores.begin(state)).toThrow("resend");
  const other = stores.begin(undefined);
  rmSync(other.folder, { recursive: true });
  expect(() => stores.begin(stores.stateAfter(other, "agent-2"))).toThrow("resend");
});

it("never leaves its folder", () => {
  const state = Buffer.from(JSON.stringify({ store: "../../etc", turn: "t", agentId: "a" }));
  expect(() => stores.begin(state)).toThrow("resend");
});

it("removes only what has not been used for long", () => {
  const { folder: store } = stores.begin(undefined);
  stores.sweep(Date.now() + 10_000, 60_000);
  expect(existsSync(store)).toBe(true);
  stores.sweep(Date.now() + 61_000, 60_000);
  expect(existsSync(store)).toBe(false);
  expect(existsSync(folder)).toBe(true);
});
