import { chmodSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createNetwork } from "@curlew/gateway/network/index.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { sampleProfile } from "../../../../testing/samples/sample-profile.js";
import { type InstalledCli, installFakeCli } from "../../../../testing/simulator/installed-cli.js";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { loadSettings } from "../../config/load.js";
import { createColors } from "../../terminal/print.js";
import { checkBackends, checkHttp2, judgeClock } from "./check-account.js";
import { checkNode, checkProfile } from "./check-machine.js";
import type { Finding } from "./finding.js";
import { describeProbe } from "./report.js";

describe("the version of Node", () => {
  it.each([
    ["v20.19.0", "ok"],
    ["v20.20.2", "ok"],
    ["v22.0.0", "ok"],
    ["v20.18.3", "fail"],
    ["v18.20.0", "fail"],
  ])("%s is %s", (version, status) => {
    expect(checkNode(version)).toMatchObject({ status, fix: status === "ok" ? null : "nvm install --lts" });
  });
});

describe("a clock", () => {
  it.each([
    [400, "ok", "Within 1 s of Cursor's."],
    [-20_000, "ok", "Within 20 s of Cursor's."],
    [60_000, "warn", "This machine's clock is 60 s behind Cursor's."],
    [-400_000, "fail", "This machine's clock is 400 s ahead of Cursor's."],
    [undefined, "skipped", "Cursor's answer has no date."],
  ])("with Cursor's ahead by %s ms: %s", (aheadMs, status, why) => {
    expect(judgeClock(aheadMs, "linux")).toMatchObject({ status, why });
  });

  it.each([
    ["linux", "sudo timedatectl set-ntp true"],
    ["darwin", "sudo sntp -sS time.apple.com"],
    ["win32", "w32tm /resync"],
  ] as const)("is fixed on %s by its own command", (platform, fix) => {
    expect(judgeClock(600_000, platform).fix).toBe(fix);
  });
});

describe("the Cursor profile", () => {
  const DAY_MS = 24 * 60 * 60_000;
  const loaded = (overlay?: object, mode = 0o600) => {
    const home = temporaryFolder();
    if (overlay !== undefined) writeFileSync(join(home, "cursor.json"), JSON.stringify(overlay));
    if (overlay !== undefined) chmodSync(join(home, "cursor.json"), mode);
    return loadSettings({ env: {}, home, homeDirectory: home });
  };
  const builtMs = Date.parse(sampleProfile.updated);
  const later = (days: number) => builtMs + days * DAY_MS;

  it.each([
    [0, "ok", ", today."],
    [1, "ok", ", 1 day old."],
    [119, "ok", ", 119 days old."],
    [120, "warn", ", 120 days old."],
  ])("is %i days old", (days, status, ending) => {
    const finding = checkProfile(loaded(), later(days), "linux");
    expect(finding).toMatchObject({ check: "profile", status, why: expect.stringContaining(ending) });
    expect(finding.fix).toBe(status === "ok" ? null : "curlew doctor --update-profile");
  });

  it("is as old as the owner's changes, if these are newer", () => {
    const updated = new Date(later(200)).toISOString().slice(0, 10);
    const { status, why } = checkProfile(loaded({ updated }), later(203), "linux");
    expect(status).toBe("ok");
    expect(why).toMatch(/, 203 days old; your changes in .*cursor\.json are from \d{4}-\d{2}-\d{2}, 3 days old\.$/);
    expect(checkProfile(loaded({ updated }), later(320), "linux").status).toBe("warn");
  });

  it("is as old as the overlay file if the changes have no date", () => {
    const undated = loaded({ families: {} });
    utimesSync(undated.overlay?.path ?? "", later(50) / 1_000, later(50) / 1_000);
    expect(checkProfile(undated, later(52), "linux").why).toMatch(/, 2 days old\.$/);
  });

  it("must not be writable by others", () => {
    const open = loaded({ families: {} }, 0o622);
    expect(checkProfile(open, builtMs, "linux")).toMatchObject({
      status: "fail",
      fix: `chmod 600 ${open.overlay?.path}`,
    });
  });
});

describe("HTTP/2", () => {
  it("fails if something else answers", async () => {
    const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    expect(await checkHttp2(url, createNetwork())).toMatchObject({ status: "fail", fix: `curl -v --http2 ${url}` });
  });
});

let fake: InstalledCli;
beforeAll(async () => {
  fake = await installFakeCli();
});
afterAll(() => rmSync(fake.folder, { recursive: true, force: true }));
beforeEach(() => fake.setScenario({}));

async function check(names: Parameters<typeof checkBackends>[0], env: Record<string, string> = {}): Promise<Finding[]> {
  const { settings } = loadSettings({ env: { CURLEW_CLI_PATH: fake.command, ...env }, home: "/nowhere" });
  const findings: Finding[] = [];
  for await (const finding of checkBackends(names, settings)) findings.push(finding);
  return findings;
}

it("reports nothing about the agent backend", async () => {
  expect(await check(["agent"])).toEqual([]);
});

it("finds the CLI and checks its login", async () => {
  expect(await check(["agent", "cli"])).toMatchObject([
    { check: "cli", status: "ok", why: expect.stringMatching(/cursor-agent \(2026\.10\.01-\w+\), logged in\.$/) },
  ]);
  fake.setScenario({ loggedIn: false });
  expect(await check(["cli"])).toMatchObject([{ check: "cli", status: "fail", fix: "cursor-agent login" }]);
  const nowhere = { CURLEW_CLI_PATH: "/nowhere/no-such-cli" };
  expect(await check(["cli"], nowhere)).toMatchObject([
    { status: "fail", why: expect.stringContaining("not found"), fix: expect.stringContaining("cursor.com/install") },
  ]);
});

it("says what the SDK lacks", async () => {
  const nowhere = { CURLEW_SDK_PATH: "/nowhere/no-such-sdk" };
  expect(await check(["sdk"], nowhere)).toMatchObject([
    { check: "sdk", status: "fail", fix: "npm install @cursor/sdk" },
  ]);
});

it("warns about calls that Cursor has retired", async () => {
  expect(await check(["chat"])).toMatchObject([{ check: "chat", status: "warn" }]);
});

it("names every probe status in words, not only by colour", () => {
  const colors = createColors(false);
  const words = (["ok", "warn", "fail", "skipped"] as const).map((status) =>
    describeProbe({ name: "text", claim: "A turn is answered", status, note: "" }, colors).split(/ {2,}| text/, 1),
  );
  expect(words).toEqual([["as expected"], ["differs"], ["failed"], ["not shown"]]);
});
