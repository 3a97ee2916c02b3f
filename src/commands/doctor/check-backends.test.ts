import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type InstalledCli, installFakeCli } from "../../../testing/simulator/installed-cli.js";
import { loadSettings } from "../../config/load.js";
import { checkBackends } from "./check-backends.js";
import type { Finding } from "./finding.js";

let fake: InstalledCli;
let home: string;
beforeAll(async () => {
  fake = await installFakeCli();
  home = mkdtempSync(join(tmpdir(), "curlew-backends-"));
});
afterAll(() => {
  for (const folder of [fake.folder, home]) rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => fake.setScenario({}));

async function check(names: Parameters<typeof checkBackends>[0], env: Record<string, string> = {}): Promise<Finding[]> {
  const { settings } = loadSettings({ env: { CURLEW_CLI_PATH: fake.command, ...env }, home });
  const findings: Finding[] = [];
  for await (const finding of checkBackends(names, settings)) findings.push(finding);
  return findings;
}

it("looks at nothing that no turn may take", async () => {
  expect(await check(["agent"])).toEqual([]);
});

it("finds the CLI and asks for its login", async () => {
  expect(await check(["agent", "cli"])).toMatchObject([
    { check: "cli", status: "ok", why: expect.stringMatching(/cursor-agent \(2026\.10\.01-\w+\), logged in\.$/) },
  ]);
  fake.setScenario({ loggedIn: false });
  expect(await check(["cli"])).toMatchObject([{ check: "cli", status: "fail", fix: "cursor-agent login" }]);
  const nowhere = { CURLEW_CLI_PATH: join(home, "no-such-cli") };
  expect(await check(["cli"], nowhere)).toMatchObject([
    { status: "fail", why: expect.stringContaining("not found"), fix: expect.stringContaining("cursor.com/install") },
  ]);
});

it("says what the SDK lacks", async () => {
  const nowhere = { CURLEW_SDK_PATH: join(home, "no-such-sdk") };
  expect(await check(["sdk"], nowhere)).toMatchObject([
    { check: "sdk", status: "fail", fix: "npm install @cursor/sdk" },
  ]);
});

it("warns of calls that Cursor has retired", async () => {
  expect(await check(["chat"])).toMatchObject([{ check: "chat", status: "warn" }]);
});
