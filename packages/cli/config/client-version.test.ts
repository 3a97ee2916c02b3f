import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { sampleProfile } from "../../../testing/samples/sample-profile.js";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { claimedClients, findClientVersion } from "./client-version.js";
import { loadSettings } from "./load.js";

let root = "";
let home = "";

beforeEach(() => {
  root = temporaryFolder();
  home = join(root, "curlew");
  mkdirSync(home);
});

const find = (platform: NodeJS.Platform = "linux", env: Record<string, string> = {}) =>
  findClientVersion({ env, platform, homeDirectory: root });
const versions = () => join(root, ".local", "share", "cursor-agent", "versions");
const install = (...names: string[]) => {
  for (const name of names) mkdirSync(join(versions(), name), { recursive: true });
};

it("is the newest version of the installed CLI by its date", () => {
  install("2026.09.23-86fc751", "2026.10.21-aaa1111", "2025.11.25-d5b3271", "downloads", "2026.13.99");
  expect(find()).toEqual({ value: "cli-2026.10.21-aaa1111", origin: `the Cursor CLI in ${versions()}` });
});

it.each(["2026.06.24-00-45-58-9f61de7", "2026.09.02-fa0c06e-lab"])("is found under the name %s", (name) => {
  install(name);
  expect(find()?.value).toBe(`cli-${name}`);
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

it("is overridden by the setting, and overrides the built-in version", () => {
  const load = (env: Record<string, string>) => loadSettings({ env, home, homeDirectory: root, platform: "linux" });
  const builtIn = load({}).settings.clientVersion;
  expect(load({}).origins.clientVersion).toBeUndefined();
  install("2026.10.21-aaa1111");
  expect(load({}).settings.clientVersion).toBe("cli-2026.10.21-aaa1111");
  expect(load({}).origins.clientVersion).toContain("the Cursor CLI in");
  expect(load({ CURSOR_CLIENT_VERSION: builtIn }).settings.clientVersion).toBe(builtIn);
});

describe("a version in the owner's overlay", () => {
  const load = (version: string, env: Record<string, string> = {}) => {
    const client = version.startsWith("sdk") ? "sdk" : "cli";
    const overlay = { agentClient: client, clients: { [client]: { version } } };
    writeFileSync(join(home, "cursor.json"), JSON.stringify(overlay));
    const { settings, origins } = loadSettings({ env, home, homeDirectory: root, platform: "linux" });
    return { version: settings.clientVersion, origin: origins.clientVersion };
  };

  it("overrides the built-in version, and says where it comes from", () => {
    expect(load("cli-2027.01.02-abc1234")).toEqual({
      version: "cli-2027.01.02-abc1234",
      origin: join(home, "cursor.json"),
    });
    expect(load("sdk-1.0.40").version).toBe("sdk-1.0.40");
  });

  it("is overridden by the setting", () => {
    expect(load("cli-2027.01.02-abc1234", { CURSOR_CLIENT_VERSION: "sdk-1.0.40" }).version).toBe("sdk-1.0.40");
  });

  it("is overridden by a newer installed CLI, but not by an older one", () => {
    install("2027.02.03-aaa1111");
    expect(load("cli-2027.01.02-abc1234").version).toBe("cli-2027.02.03-aaa1111");
    expect(load("cli-2027.03.04-abc1234").version).toBe("cli-2027.03.04-abc1234");
    expect(load("sdk-1.0.40").version).toBe("sdk-1.0.40");
  });
});

describe("the claimed clients", () => {
  const { cli, sdk, ide } = sampleProfile.clients;
  const profile = {
    ...sampleProfile,
    clients: { cli, sdk: { ...sdk, userAgent: "of-the-sdk" }, ide: { ...ide, userAgent: "of-the-app" } },
  };

  it.each([
    ["cli-2027.01.02-abc1234", "cli-2027.01.02-abc1234", cli.userAgent, ide.version],
    ["sdk-1.0.40", "sdk-1.0.40", "of-the-sdk", ide.version],
    ["3.11.0", cli.version, cli.userAgent, "3.11.0"],
  ])("of the version %s", (set, version, userAgent, desktop) => {
    expect(claimedClients(set, profile)).toMatchObject({
      agent: { version, userAgent },
      desktop: { version: desktop, userAgent: "of-the-app" },
    });
  });
});
