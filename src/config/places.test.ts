import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { registeredBackends } from "../backends/registry.js";
import { cachePath, filesToMove, ownNames, placesOf, serviceLog, statePath } from "./places.js";

it.each([
  ["linux", {}, ["/home/me/.config/curlew", "/home/me/.local/state/curlew", "/home/me/.cache/curlew"]],
  [
    "linux",
    { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", XDG_CACHE_HOME: "/k" },
    ["/c/curlew", "/s/curlew", "/k/curlew"],
  ],
  [
    "linux",
    { XDG_STATE_HOME: "state", XDG_CACHE_HOME: "" },
    ["/home/me/.config/curlew", "/home/me/.local/state/curlew", "/home/me/.cache/curlew"],
  ],
  [
    "darwin",
    {},
    [
      "/home/me/Library/Application Support/curlew",
      "/home/me/Library/Application Support/curlew",
      "/home/me/Library/Caches/curlew",
    ],
  ],
  [
    "win32",
    { APPDATA: "/roaming", LOCALAPPDATA: "/local" },
    ["/roaming/curlew", "/local/curlew", "/local/curlew/cache"],
  ],
  ["linux", { CURLEW_HOME: "/mine", XDG_STATE_HOME: "/s" }, ["/mine", "/mine", "/mine"]],
] as const)("puts settings, state and cache where %s expects them: %j", (platform, env, expected) => {
  const { config, state, cache } = placesOf({ platform, env, homeDirectory: "/home/me" });
  expect([config, state, cache]).toEqual(expected);
});

it.each([
  ["linux", undefined],
  ["darwin", "/home/me/Library/Logs/curlew.log"],
  ["win32", "/home/me/AppData/Local/curlew/curlew.log"],
] as const)("knows where a service of %s logs to", (platform, expected) => {
  expect(serviceLog({ platform, env: {}, homeDirectory: "/home/me" })).toBe(expected);
});

it("names a list of models for each backend that has one", () => {
  const lists = registeredBackends.map((name) => (name === "agent" ? "models.json" : `models.${name}.json`));
  expect(ownNames.cache.filter((name) => name.startsWith("models")).sort()).toEqual(lists.sort());
});

it("uses a file where an earlier version has left it, until it has moved", () => {
  const homeDirectory = mkdtempSync(join(tmpdir(), "curlew-places-"));
  onTestFinished(() => rmSync(homeDirectory, { recursive: true }));
  const places = placesOf({ platform: "linux", env: {}, homeDirectory });
  expect(statePath(places, "ledger")).toBe(join(places.state, "ledger"));
  expect(filesToMove(places)).toEqual([]);
  mkdirSync(join(places.config, "ledger"), { recursive: true });
  writeFileSync(join(places.config, "models.json"), "{}");
  writeFileSync(join(places.config, "curlew.json"), "{}");
  expect(statePath(places, "ledger")).toBe(join(places.config, "ledger"));
  expect(cachePath(places, "models.json")).toBe(join(places.config, "models.json"));
  expect(filesToMove(places).map(({ name }) => name)).toEqual(["ledger", "models.json"]);
  mkdirSync(join(places.state, "ledger"), { recursive: true });
  expect(statePath(places, "ledger")).toBe(join(places.state, "ledger"));
});
