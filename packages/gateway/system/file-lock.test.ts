import { mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { whileLocked } from "./file-lock.js";

it("waits for a lock until it is stale", async () => {
  const folder = temporaryFolder();
  const lock = join(folder, "file.lock");
  mkdirSync(lock);
  const done: string[] = [];
  const work = whileLocked(join(folder, "file"), () => done.push("work"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual([]);
  const before = new Date(Date.now() - 11_000);
  utimesSync(lock, before, before);
  await work;
  expect([done, readdirSync(folder)]).toEqual([["work"], []]);
});

it("does not wait for a lock from before the clock was set back", async () => {
  const folder = temporaryFolder();
  const lock = join(folder, "file.lock");
  mkdirSync(lock);
  const ahead = new Date(Date.now() + 3_600_000);
  utimesSync(lock, ahead, ahead);
  await whileLocked(join(folder, "file"), () => {});
  expect(readdirSync(folder)).toEqual([]);
});

it("does not wait for a process that was killed while it removed a lock", async () => {
  const folder = temporaryFolder();
  for (const name of ["file.lock", "file.lock.lock"]) {
    mkdirSync(join(folder, name));
    utimesSync(join(folder, name), 0, 0);
  }
  await whileLocked(join(folder, "file"), () => {});
  expect(readdirSync(folder)).toEqual([]);
});

it("is unlocked when the work fails, and makes the folder", async () => {
  const path = join(temporaryFolder(), "folder", "file");
  const fail = () => {
    throw new Error("no");
  };
  await expect(whileLocked(path, fail)).rejects.toThrow("no");
  expect(await whileLocked(path, () => 1)).toBe(1);
});
