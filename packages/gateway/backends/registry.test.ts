import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openBackend } from "../../../testing/backends/open-backend.js";
import { goesWithoutCredential, registeredBackends } from "./registry.js";
import { skips } from "./skips.cases.js";

it("names every folder that a backend can be opened from", () => {
  const doors = readdirSync(import.meta.dirname).map(
    (name) => [name, join(import.meta.dirname, name, "index.ts")] as const,
  );
  const folders = doors.filter(
    ([, door]) => existsSync(door) && /^export (const|function) open\b/m.test(readFileSync(door, "utf8")),
  );
  expect([...registeredBackends].sort()).toEqual(folders.map(([name]) => name));
});

it.each(registeredBackends)("opens %s under its own name", async (name) => {
  const { backend, stop } = await openBackend(name);
  onTestFinished(stop);
  expect(backend.name).toBe(name);
});

it("knows the backends that need no credential of Curlew's", () => {
  expect([...registeredBackends, "none"].filter(goesWithoutCredential)).toEqual(["sdk", "cli"]);
});

const guide = readFileSync(new URL("../../../docs/guide/backends.md", import.meta.url), "utf8");

it.each(registeredBackends)("describes %s in the guide, and runs the shared cases on it", (name) => {
  expect(guide).toMatch(new RegExp(`^\\| \`${name}\``, "m"));
  expect(Object.keys(skips).map((each) => each.split("/", 1)[0])).toContain(name);
  // Cursor's SDK is installed only for its own suite.
  const beside = name === "sdk" ? "../../../tests/official-sdk/sdk-backend.slow.ts" : `${name}/cases.test.ts`;
  expect(readFileSync(new URL(beside, import.meta.url), "utf8")).toMatch(/^ *describeBackend\(/m);
});
