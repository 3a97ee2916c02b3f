import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  type GatewayOptions,
  SettingsError,
  StartError,
  type StartErrorCode,
  startGateway,
} from "../packages/cli/index.js";

const home = mkdtempSync(join(tmpdir(), "curlew-embedding-"));
const quiet = { home, backend: "simulator", logLevel: "silent" } as const;
afterAll(() => rmSync(home, { recursive: true }));

async function ask(url: string, model: string): Promise<number> {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "[[say hello]]" }] });
  const headers = { "content-type": "application/json" };
  return (await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body })).status;
}

describe("startGateway", () => {
  it("listens on a free loopback port, whatever the program's own PORT says", async () => {
    process.env.PORT = "1";
    const gateway = await startGateway(quiet).finally(() => delete process.env.PORT);
    expect(gateway.url).toMatch(/^http:\/\/127\.0\.0\.1:\d{4,5}$/);
    expect(gateway.baseURL).toBe(gateway.url);
    const models = await fetch(`${gateway.url}/v1/models`).then((response) => response.json());
    expect(models).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ id: "auto" })]) });
    await gateway.close();
    await gateway.stop();
    await expect(fetch(`${gateway.url}/health`)).rejects.toThrow();
  });

  it("accepts every other setting by its name in curlew.json; options take precedence", async () => {
    const settings = { modelAliases: { "my-model": "auto" }, port: 70_000 };
    await expect(startGateway({ ...quiet, settings })).rejects.toThrow("options.settings.port must be");
    const gateway = await startGateway({ ...quiet, port: 0, settings });
    expect(await ask(gateway.url, "my-model")).toBe(200);
    expect(await ask(gateway.url, "another-model")).toBe(404);
    await gateway.close();
  });

  it("ignores undefined options", async () => {
    const gateway = await startGateway({ ...quiet, port: undefined, host: undefined });
    expect(gateway.url).toMatch(/^http:\/\/127\.0\.0\.1:(?!32124$)/);
    await gateway.close();
  });

  it.each([
    [{ stallMs: 0 }, "options.stallMs is a setting; put it in options.settings.stallMs."],
    [{ prot: 80 }, "options.prot is not an option. Did you mean port?"],
    [{ settings: { stallms: 0 } }, "options.settings.stallms is not a setting. Did you mean stallMs?"],
    [{ settings: { stallMs: -1 } }, "options.settings.stallMs must be a whole number from 1000 to 86400000, not -1."],
  ])("refuses unknown or invalid options: %j", async (options, message) => {
    const failure = await startGateway({ ...quiet, ...options }).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(SettingsError);
    expect(failure).toMatchObject({ message });
  });

  it.each<[GatewayOptions, StartErrorCode, string]>([
    [{ backend: "auto" }, "credential_missing", "No Cursor credential was found."],
    [{ host: "0.0.0.0" }, "key_missing", "0.0.0.0 can be reached by others"],
    [
      { settings: { allowedHosts: ["ai.example.com"] } },
      "key_missing",
      "allowedHosts has ai.example.com, so this gateway can be reached by others",
    ],
    [
      { host: "192.0.2.1", key: "a key of 16 or more".replaceAll(" ", "-") },
      "address_unavailable",
      "no address 192.0.2.1",
    ],
    [{ backend: "cli", settings: { passThrough: true } }, "backend_unsuitable", "the settings also name cli"],
  ])("fails to start with a code and a message: %j", async (options, code, words) => {
    const failure = await startGateway({ ...quiet, ...options }).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(StartError);
    expect(failure).toMatchObject({ code, message: expect.stringContaining(words) });
  });
});
