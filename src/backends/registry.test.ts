import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { tokensFrom } from "../auth/token.js";
import { systemClock } from "../clock.js";
import { loadSettings } from "../config/load.js";
import { thisMachine } from "../config/machine.js";
import { createNetwork } from "../network/index.js";
import { registeredBackends, registry } from "./registry.js";

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
  const home = mkdtempSync(join(tmpdir(), "curlew-registry-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const { settings } = loadSettings({ home, env: {} });
  const network = createNetwork(settings);
  const { open } = await registry[name].open();
  const backendOf = open({
    settings,
    clientVersions: { agent: settings.clientVersion, desktop: undefined },
    network,
    fingerprint: (tool, input) => `${tool} ${input}`,
    machine: { ...thisMachine(), env: {}, homeDirectory: home },
    clock: systemClock,
    log: { info() {}, warn() {} },
  });
  const found = { credential: { kind: "api-key", apiKey: "crsr_registry" }, from: "a test", fix: "" } as const;
  const tokens = tokensFrom(found, { backendUrl: settings.backendUrl, clock: systemClock, network });
  const backend = backendOf({ tokens, apiKey: "crsr_registry" });
  onTestFinished(() => backend.close());
  expect(backend.name).toBe(name);
});

it.each(registeredBackends)("tells of %s in the guide", (name) => {
  const guide = new URL("../../docs/guide/", import.meta.url);
  expect(readFileSync(new URL("roads.md", guide), "utf8")).toMatch(new RegExp(`^\\| \`${name}\``, "m"));
});
