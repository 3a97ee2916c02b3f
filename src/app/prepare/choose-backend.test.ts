import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type InstalledCli, installFakeCli } from "../../../testing/simulator/installed-cli.js";
import { goesWithoutCredential, registeredBackends } from "../../backends/registry.js";
import { loadSettings } from "../../config/load.js";
import { chooseBackend } from "./choose-backend.js";

let fake: InstalledCli;
let home: string;
beforeAll(async () => {
  fake = await installFakeCli();
  home = mkdtempSync(join(tmpdir(), "curlew-backend-"));
});
afterAll(() => {
  for (const folder of [fake.folder, home]) rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => fake.setScenario({ loggedIn: false }));

/** Loads settings with the CLI of the test and these variables. */
function choose(env: Record<string, string> = {}, { orSimulate = false } = {}) {
  const all = { CURLEW_CREDENTIAL_STORE: "file", CURLEW_CLI_PATH: fake.command, ...env };
  return chooseBackend(loadSettings({ env: all, home }).settings, { orSimulate });
}
const key = { CURSOR_API_KEY: "crsr_key" };

describe("auto", () => {
  it("chooses the agent backend with a credential, whatever the CLI says", async () => {
    fake.setScenario({ loggedIn: true });
    expect(await choose(key)).toMatchObject({ backend: "agent", credential: { credential: { kind: "api-key" } } });
  });

  it("takes the CLI that is logged in where there is no credential, also before any simulator", async () => {
    fake.setScenario({ loggedIn: true });
    expect(await choose({}, { orSimulate: true })).toMatchObject({ backend: "cli" });
  });

  it("simulates only where there is no credential at all, and only if it may", async () => {
    expect(await choose({}, { orSimulate: true })).toEqual({ backend: "simulator", isFallback: true });
    await expect(choose()).rejects.toMatchObject({
      code: "credential_missing",
      message: expect.stringContaining("curlew login"),
    });
    const nowhere = { CURLEW_CLI_PATH: join(home, "no-such-cli") };
    await expect(choose(nowhere)).rejects.toMatchObject({ code: "credential_missing" });
  });

  it("never chooses the chat backend, nor the SDK before the agent", async () => {
    expect(await choose({ ...key, CURLEW_SDK_PATH: home })).toMatchObject({ backend: "agent" });
  });
});

describe("a backend by its name", () => {
  it.each(registeredBackends)("is taken: %s", async (backend) => {
    expect(await choose({ ...key, CURLEW_BACKEND: backend })).toMatchObject({ backend });
  });

  const without = registeredBackends.filter((name) => goesWithoutCredential(name));
  it.each(without)("needs no credential of ours if the backend goes without: %s", async (backend) => {
    expect(await choose({ CURLEW_BACKEND: backend })).toMatchObject({ backend });
  });

  const others = registeredBackends.filter((name) => !goesWithoutCredential(name));
  it.each(others)("needs one where Curlew makes the calls itself: %s", async (backend) => {
    await expect(choose({ CURLEW_BACKEND: backend })).rejects.toMatchObject({ code: "credential_missing" });
  });
});

it.each([{ CURLEW_BACKEND: "cli" }, { CURLEW_ROUTES: "gpt-*=cli" }, { CURLEW_FALLBACK: "agent,cli" }])(
  "passes requests' own credentials on where Curlew makes the calls itself: %o is refused",
  async (env) => {
    const refusal = { code: "backend_unsuitable", message: expect.stringContaining("cli") };
    await expect(choose({ ...env, CURLEW_PASS_THROUGH: "true" })).rejects.toMatchObject(refusal);
  },
);

it("passes requests' own credentials on to the old chat calls too", async () => {
  expect(await choose({ CURLEW_BACKEND: "chat", CURLEW_PASS_THROUGH: "true" })).toMatchObject({ backend: "chat" });
});
