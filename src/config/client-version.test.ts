import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findClientVersion } from "./client-version.js";
import { loadSettings } from "./load.js";

let root = "";
let home = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "curlew-version-"));
  home = join(root, "curlew");
  mkdirSync(home);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const find = (platform: NodeJS.Platform = "linux", env: Record<string, string> = {}) =>
  findClientVersion({ env, platform, homeDirectory: root }, home);
const versions = () => join(root, ".local", "share", "cursor-agent", "versions");
const install = (...names: string[]) => {
  for (const name of names) mkdirSync(join(versions(), name), { recursive: true });
};

it("is the newest version of the installed CLI by its date", () => {
  install("2026.09.23-86fc751", "2026.10.21-aaa1111", "2025.11.25-d5b3271", "downloads", "2026.13.99");
  expect(find()).toEqual({ value: "cli-2026.10.21-aaa1111", origin: `the Cursor CLI in ${versions()}` });
});

it("is the later of two builds of one day", () => {
  install("2026.10.21-aaa1111", "2026.10.21-bbb2222");
  utimesSync(join(versions(), "2026.10.21-bbb2222"), 1, 1);
  expect(find()?.value).toBe("cli-2026.10.21-aaa1111");
});

it.each([
  ["where the system says", { LOCALAPPDATA: "there" }, ["there", "cursor-agent", "versions"]],
  ["in its usual place", {}, ["AppData", "Local", "cursor-agent", "versions"]],
  ["beside the program", {}, ["AppData", "Local", "cursor-agent"]],
])("is found on Windows %s", (_, env, path) => {
  mkdirSync(join(root, ...path, "2026.10.21-aaa1111"), { recursive: true });
  const there = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, join(root, value)]));
  expect(find("win32", there)?.value).toBe("cli-2026.10.21-aaa1111");
});

it("is remembered when the CLI is gone", () => {
  expect(find()).toBeUndefined();
  install("2026.10.21-aaa1111");
  find();
  rmSync(versions(), { recursive: true });
  expect(find()).toEqual({ value: "cli-2026.10.21-aaa1111", origin: expect.stringContaining("was here before") });
});

it("makes no folder just because somebody looks", () => {
  install("2026.10.21-aaa1111");
  rmSync(home, { recursive: true });
  expect(find()?.value).toBe("cli-2026.10.21-aaa1111");
  rmSync(versions(), { recursive: true });
  expect(find()).toBeUndefined();
});

it("is not what somebody else wrote where we remember it", () => {
  writeFileSync(join(home, "client-version"), "evil\r\nx-header: 1");
  expect(find()).toBeUndefined();
});

it("gives way to the setting, and goes before what is built in", () => {
  const load = (env: Record<string, string>) => loadSettings({ env, home, homeDirectory: root, platform: "linux" });
  const builtIn = load({}).settings.clientVersion;
  expect(load({}).origins.clientVersion).toBeUndefined();
  install("2026.10.21-aaa1111");
  expect(load({}).settings.clientVersion).toBe("cli-2026.10.21-aaa1111");
  expect(load({}).origins.clientVersion).toContain("the Cursor CLI in");
  expect(load({ CURSOR_CLIENT_VERSION: builtIn }).settings.clientVersion).toBe(builtIn);
});
