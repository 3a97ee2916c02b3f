// Runs before each file of tests: writes down how often it starts our program, by whatever helper.
import { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, inject } from "vitest";
import { startsIn } from "./program-starts.js";

function onChild(message: unknown): void {
  const { process: child } = message as { readonly process: unknown };
  // It has its command line only once it has been started, right after this.
  queueMicrotask(() => {
    if (child instanceof ChildProcess)
      appendFileSync(inject("startsFile"), ".".repeat(startsIn(child.spawnargs ?? [])));
  });
}

beforeAll(() => subscribe("child_process", onChild));
afterAll(() => void unsubscribe("child_process", onChild));
