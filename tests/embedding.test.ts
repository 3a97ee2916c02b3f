import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { startGateway } from "../src/index.js";

const home = mkdtempSync(join(tmpdir(), "curlew-embedding-"));
const quiet = { home, backend: "simulator", logLevel: "silent" } as const;
afterAll(() => rmSync(home, { recursive: true }));

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

  it("reads what is not given from curlew.json", async () => {
    const configFile = join(home, "other.json");
    writeFileSync(configFile, JSON.stringify({ bodyLimitBytes: 1024 }));
    const gateway = await startGateway({ ...quiet, configFile });
    const body = JSON.stringify({ model: "auto", messages: [{ role: "user", content: "x".repeat(2000) }] });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
    expect(response.status).toBe(413);
    await gateway.close();
  });

  it("names an option that cannot be used", async () => {
    await expect(startGateway({ ...quiet, port: 70_000 })).rejects.toThrow(
      "options.port must be a whole number from 0 to 65535, not 70000.",
    );
  });

  it("never simulates by itself", async () => {
    await expect(startGateway({ ...quiet, backend: "auto" })).rejects.toThrow("No Cursor credential was found.");
  });

  it("wants a key for a public address", async () => {
    await expect(startGateway({ ...quiet, host: "0.0.0.0" })).rejects.toThrow("0.0.0.0 can be reached by others");
  });
});
