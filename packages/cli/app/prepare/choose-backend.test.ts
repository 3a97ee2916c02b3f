import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { goesWithoutCredential, registeredBackends } from "@curlew/gateway/backends/registry.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type InstalledCli, installFakeCli } from "../../../../testing/simulator/installed-cli.js";
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

  it("falls back to a logged-in CLI without a credential, before any simulator", async () => {
    fake.setScenario({ loggedIn: true });
    expect(await choose({}, { orSimulate: true })).toMatchObject({ backend: "cli" });
  });

  it("simulates only without any credential, and only if allowed", async () => {
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
  it.each(registeredBackends)("is used: %s, without a credential if it needs none", async (backend) => {
    expect(await choose({ ...key, CURLEW_BACKEND: backend })).toMatchObject({ backend });
    const bare = choose({ CURLEW_BACKEND: backend });
    if (goesWithoutCredential(backend)) expect(await bare).toMatchObject({ backend });
    else await expect(bare).rejects.toMatchObject({ code: "credential_missing" });
  });
});

it.each([{ CURLEW_BACKEND: "cli" }, { CURLEW_ROUTES: "gpt-*=cli" }, { CURLEW_FALLBACK: "agent,cli" }])(
  "refuses pass-through with backends that do not call Cursor themselves: %o",
  async (env) => {
    const refusal = { code: "backend_unsuitable", message: expect.stringContaining("cli") };
    await expect(choose({ ...env, CURLEW_PASS_THROUGH: "true" })).rejects.toMatchObject(refusal);
  },
);

it("allows pass-through with the chat backend", async () => {
  expect(await choose({ CURLEW_BACKEND: "chat", CURLEW_PASS_THROUGH: "true" })).toMatchObject({ backend: "chat" });
});

describe("careful conduct", () => {
  const sdk = { CURLEW_SDK_PATH: fileURLToPath(new URL("../../../../testing/programs/fake-sdk.js", import.meta.url)) };
  const chooseCarefully = (env: Record<string, string> = {}, options = {}) => {
    const machine = { PATH: `${home}${delimiter}${process.env.PATH}`, HOME: home };
    return choose({ CURLEW_CONDUCT: "careful", ...machine, ...env }, options);
  };

  beforeEach(() => {
    // A Node that is new enough for Cursor's SDK, whichever Node runs the tests.
    const node = join(home, "node");
    writeFileSync(node, "#!/bin/sh\necho v24.0.0\n");
    chmodSync(node, 0o755);
  });

  it("prefers the SDK with a key to a logged-in CLI", async () => {
    fake.setScenario({ loggedIn: true });
    expect(await chooseCarefully({ ...key, ...sdk })).toMatchObject({ backend: "sdk" });
  });

  it("uses the CLI if the SDK is missing or has no key", async () => {
    fake.setScenario({ loggedIn: true });
    expect(await chooseCarefully({ CURLEW_SDK_PATH: home })).toMatchObject({ backend: "cli" });
    expect(await chooseCarefully(sdk)).toMatchObject({ backend: "cli" });
  });

  it("says what each of Cursor's programs lacks, and never falls back to the agent backend", async () => {
    const token = { CURSOR_AUTH_TOKEN: "eyJhbGciOiJub25lIn0.e30.x", CURLEW_CLI_PATH: join(home, "no-such-cli") };
    const refusal = await chooseCarefully({ ...token, ...sdk }, { orSimulate: true }).catch((thrown) => thrown);
    expect(refusal).toMatchObject({ name: "StartError", code: "backend_unsuitable" });
    expect(refusal.message).toMatch(/sdk: .*Set CURSOR_API_KEY.*\n +cli: .*Run: curl /s);
  });

  it("still allows the simulator", async () => {
    expect(await chooseCarefully({ CURLEW_BACKEND: "simulator" })).toMatchObject({ backend: "simulator" });
    const isFallback = { backend: "simulator", isFallback: true };
    expect(await chooseCarefully({ CURLEW_SDK_PATH: home }, { orSimulate: true })).toEqual(isFallback);
  });

  it.each([
    [{ CURLEW_BACKEND: "agent" }, "the setting backend names the agent backend"],
    [{ CURLEW_BACKEND: "cli", CURLEW_ROUTES: "gpt-*=chat" }, "the setting routes names the chat backend"],
    [{ CURLEW_BACKEND: "cli", CURLEW_FALLBACK: "sdk,agent" }, "the setting fallback names the agent backend"],
    [{ CURLEW_PASS_THROUGH: "true" }, "Set passThrough to false, or conduct to usual."],
  ])("refuses to start with %o", async (env, text) => {
    const refusal = { code: "backend_unsuitable", message: expect.stringContaining(text) };
    await expect(chooseCarefully({ ...key, ...env })).rejects.toMatchObject(refusal);
  });

  it("allows routes and fallbacks to Cursor's own programs", async () => {
    const env = { CURLEW_BACKEND: "cli", CURLEW_ROUTES: "gpt-*=sdk", CURLEW_FALLBACK: "sdk" };
    expect(await chooseCarefully(env)).toMatchObject({ backend: "cli" });
  });
});
