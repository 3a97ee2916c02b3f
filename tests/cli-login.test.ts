import { afterEach, describe, expect, it } from "vitest";
import type { Settings } from "../packages/cli/config/settings.js";
import { chat } from "../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { runCurlew } from "../testing/programs/curlew-process.js";
import { installFakeCli } from "../testing/simulator/installed-cli.js";
import { startedOnce } from "../testing/started.js";

let system: WholeSystem;
const fake = startedOnce(() => installFakeCli());
afterEach(async () => {
  fake.setScenario({});
  await system.close();
});

const start = async (options: Partial<Settings> = {}) => {
  system = await startWholeSystem({}, { backend: "cli", cliPath: fake.command, ...options });
};
const auth = async () => {
  const health = (await (await fetch(`${system.url}/health`)).json()) as {
    auth: string;
    backends: Record<string, { auth: string }>;
  };
  return [health.auth, health.backends.cli?.auth];
};
const ask = () => chat(system.url, [{ role: "user", content: "[[say hello]]" }]);

describe("the health of a gateway over the CLI", () => {
  it("reports the CLI's login before any turn", async () => {
    await start({ apiKey: undefined });
    await expect.poll(auth).toEqual(["authenticated", "authenticated"]);
    await system.close();
    fake.setScenario({ loggedIn: false });
    await start({ apiKey: undefined });
    await expect.poll(auth).toEqual(["not_authenticated", "not_authenticated"]);
  });

  it("depends on the turns when there is a key, which the CLI cannot check", async () => {
    await start({ apiKey: "crsr_key_for_the_cli" });
    expect(await auth()).toEqual(["unchecked", "unchecked"]);
    await ask();
    expect(await auth()).toEqual(["authenticated", "authenticated"]);
    await system.close();
    await start({ apiKey: "crsr_bad_key" });
    await expect(ask()).rejects.toMatchObject({ status: 401 });
    expect(await auth()).toEqual(["not_authenticated", "not_authenticated"]);
  });
});

describe("curlew status over the CLI", () => {
  const status = async () => {
    const env = { CURLEW_BACKEND: "cli", CURLEW_CLI_PATH: fake.command };
    const { code, stdout } = await runCurlew(["status", "--json", "--port", "1"], { env });
    return { code, ...JSON.parse(stdout) };
  };

  it("does not take a list of models as proof of a login", async () => {
    await start();
    expect(await status()).toMatchObject({ code: 0, auth: "authenticated" });
    fake.setScenario({ loggedIn: false, modelsForAll: true });
    expect(await status()).toMatchObject({
      code: 1,
      auth: "not_authenticated",
      problem: expect.stringContaining("cursor-agent login"),
    });
  });
});
