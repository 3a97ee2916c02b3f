import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { KeptSecret } from "../src/auth/stores/kept-credential.js";
import { OwnStore } from "../src/auth/stores/own-store.js";
import type { Settings } from "../src/config/settings.js";
import { postJson } from "../testing/clients/post-json.js";
import { startTestGateway, startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

let system: Omit<WholeSystem, "startAnother" | "closeGateways">;
afterEach(() => system.close());

async function ask(content: string): Promise<{ status: number; text: string }> {
  const response = await postJson(`${system.url}/v1/chat/completions`, {
    model: "auto",
    messages: [{ role: "user", content }],
  });
  const body = (await response.json()) as { choices?: [{ message: { content: string } }]; error?: { message: string } };
  return { status: response.status, text: body.choices?.[0].message.content ?? body.error?.message ?? "" };
}

async function askAtOnce(count: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => ask(`[[say number ${index}]]`)));
  expect(answers).toEqual(answers.map((_, index) => ({ status: 200, text: `number ${index}` })));
}

describe("requests while the token ends", () => {
  it("share one renewal", async () => {
    system = await startWholeSystem({ tokenTtlSeconds: 250 });
    await askAtOnce(1);
    system.simulator.configure({ tokenTtlSeconds: 3_600 });
    system.simulator.reset();
    await askAtOnce(100);
    expect(system.simulator.stats()).toMatchObject({ exchanges: 1, runs: 100 });
  });

  it("go on with the old token while its renewal fails", async () => {
    system = await startWholeSystem({ tokenTtlSeconds: 250 });
    await askAtOnce(1);
    system.simulator.configure({ exchange: "fail-5" });
    await askAtOnce(50);
    expect(system.simulator.stats().runs).toBe(51);
  });

  it("wait out a renewal that fails twice when there is no old token left, and none is lost", async () => {
    system = await startWholeSystem({ tokenTtlSeconds: 0 });
    expect((await ask("hello")).status).toBe(401);
    system.simulator.configure({ tokenTtlSeconds: 3_600, exchange: "fail-2" });
    system.simulator.reset();
    await askAtOnce(50);
    expect(system.simulator.stats()).toMatchObject({ exchanges: 3, runs: 50 });
  });

  it("are repeated with a new token when Cursor refuses the old one", async () => {
    system = await startWholeSystem({ tokenTtlSeconds: 0 });
    expect((await ask("hello")).status).toBe(401);
    system.simulator.configure({ tokenTtlSeconds: 3_600 });
    expect(await ask("[[say again]]")).toEqual({ status: 200, text: "again" });
  });
});

describe("a credential that cannot be used gives 401 and the command that fixes it", () => {
  const claims = Buffer.from(JSON.stringify({ exp: 1_700_000_000, type: "session" })).toString("base64url");
  const expired = `eyJhbGciOiJIUzI1NiJ9.${claims}.c2ln`;

  it.each<[string, Partial<Settings>, string]>([
    ["a wrong key", { apiKey: "crsr_bad_one" }, "Cursor refused the API key from CURSOR_API_KEY"],
    ["a revoked key", { apiKey: "crsr_revoked" }, "it is wrong, revoked or expired"],
    ["a key of a closed account", { apiKey: "crsr_flagged" }, "The user is unauthorized"],
    ["a malformed key", { apiKey: "nonsense" }, "Cursor refused the API key"],
    ["a token instead of a key", { apiKey: expired }, "holds an access token, which is not an API key"],
    ["a key instead of a token", { apiKey: undefined, authToken: "crsr_a" }, "that belongs in CURSOR_API_KEY"],
    ["an expired token", { apiKey: undefined, authToken: expired }, "It ended on 2023-11-14"],
    ["a malformed token", { apiKey: undefined, authToken: "nonsense" }, "Cursor refused the token"],
  ])("%s", async (_, options, message) => {
    system = await startWholeSystem({}, options);
    for (let round = 0; round < 2; round++) {
      const { status, text } = await ask("hello");
      expect(status).toBe(401);
      expect(text).toContain(message);
      expect(text).toContain("curlew login");
      expect(text).not.toContain(options.apiKey ?? options.authToken);
    }
  });

  it("a key that Cursor refused is not shown to it again", async () => {
    system = await startWholeSystem({}, { apiKey: "crsr_bad_one" });
    for (let round = 0; round < 3; round++) await ask("hello");
    expect(system.simulator.stats().exchanges).toBe(1);
  });
});

describe("a kept session of Cursor's editor", () => {
  /** A gateway whose only credential is a session with a day left. */
  async function startWithSession({ canRenew }: { canRenew: boolean }): Promise<{ session: string; store: OwnStore }> {
    const home = mkdtempSync(join(tmpdir(), "curlew-renewal-"));
    const file = join(home, "credentials.json");
    const store = new OwnStore({ file, choice: "file", platform: "linux", openKeychain: async () => undefined });
    const simulator = await startSimulator({ sessionTtlSeconds: 24 * 3_600 });
    const poll = () => fetch(`${simulator.url}/auth/poll?uuid=any&verifier=${"v".repeat(43)}`);
    await poll();
    const { accessToken: session } = (await (await poll()).json()) as { accessToken: string };
    const secret: KeptSecret = { kind: "session", accessToken: session, refreshToken: session, canRenew };
    await store.write({ secret, backendUrl: simulator.url, origin: "imported", createdMs: 1 });
    simulator.configure({ sessionTtlSeconds: 60 * 24 * 3_600 });
    const gateway = await startTestGateway({
      home,
      logLevel: "silent",
      settings: { backendUrl: simulator.url },
    });
    const close = async () => {
      await gateway.close();
      await simulator.close();
      rmSync(home, { recursive: true, force: true });
    };
    system = { url: gateway.url, simulator, home, close };
    return { session, store };
  }

  it("is renewed in its last week, once for all requests, and the new one is kept", async () => {
    const { session, store } = await startWithSession({ canRenew: true });
    await askAtOnce(50);
    expect(system.simulator.stats()).toMatchObject({ refreshes: 1, exchanges: 0 });
    await expect.poll(() => readFileSync(store.file, "utf8")).not.toContain(session);
    expect(await store.read()).toMatchObject({ state: "kept", kept: { secret: { kind: "session", canRenew: true } } });
  });

  it("works on when Cursor will not renew it", async () => {
    const { session, store } = await startWithSession({ canRenew: true });
    system.simulator.configure({ refresh: "refuse" });
    await askAtOnce(5);
    expect(system.simulator.stats().refreshes).toBe(1);
    expect(readFileSync(store.file, "utf8")).toContain(session);
  });

  it("is not renewed when a login of ours made it", async () => {
    await startWithSession({ canRenew: false });
    await askAtOnce(5);
    expect(system.simulator.stats()).toMatchObject({ refreshes: 0, exchanges: 0 });
  });
});
