import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { isOwnerAlive, thisProcess, UNTOUCHED_MS } from "./owner.js";

const here = thisProcess();
const deadPid = spawnSync(process.execPath, ["-e", ""]).pid;

it.each([
  ["is this process", {}, UNTOUCHED_MS * 9, true],
  ["has exited", { pid: deadPid }, 0, false],
  ["had a process id that was reused", { begun: "123 another boot" }, 0, here.begun === undefined],
  ["is in another container and touches its log", { place: "elsewhere" }, UNTOUCHED_MS - 1, true],
  ["is in another container and does not touch its log", { place: "elsewhere" }, UNTOUCHED_MS, false],
  ["is in another container, and the clock was set back", { place: "elsewhere" }, -UNTOUCHED_MS, false],
  ["has an unknown start time and touches its log", { begun: undefined }, 0, true],
  ["has an unknown start time and does not touch its log", { begun: undefined }, UNTOUCHED_MS, false],
])("knows whether the owner of a file is alive: one that %s", (_, changes, untouchedMs, isAlive) => {
  expect(isOwnerAlive({ ...here, ...changes }, untouchedMs)).toBe(isAlive);
});
