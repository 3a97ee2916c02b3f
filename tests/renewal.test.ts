import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Settings } from "../packages/cli/config/settings.js";
import { OwnStore } from "../packages/gateway/account/stores/own-store.js";
import { postJson } from "../testing/clients/post-json.js";
import { openWholeSystem, startTestGateway } from "../testing/gateway/whole-system.js";
import { openSimulator } from "../testing/simulator/strict-simulator.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

async function ask(url: string, content: string): Promise<{ status: number; text: string }> {
  const response = await postJson(`${url}/v1/chat/completions`, {
    model: "auto",
    messages: [{ role: "user", content }],
  });
  const body = (await response.json()) as { choices?: [{ message: { content: string } }]; error?: { message: string } };
  return { status: response.status, text: body.choices?.[0].message.content ?? body.error?.message ?? "" };
}

async function askAtOnce(url: string, count: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => ask(url, `[[say number ${index}]]`)));
  expect(answers).toEqual(answers.map((_, index) => ({ status: 200, text: `number ${index}` })));
}

describe("an unusable credential gives 401 with the command that fixes it", () => {
  const claims = Buffer.from(JSON.stringify({ exp: 1_700_000_000, type: "session" })).toString("base64url");
  const expired = `eyJhbGciOiJIUzI1NiJ9.${claims}.c2ln`;

  it.each<[string, Partial<Settings>, string]>([
    ["a wrong key", { apiKey: "crsr_bad_one" }, "Cursor refused the API key from CURSOR_API_KEY"],
    ["a key of a closed account", { apiKey: "crsr_flagged" }, "The user is unauthorized"],
    ["a token instead of a key", { apiKey: expired }, "holds an access token, which is not an API key"],
    ["a key instead of a token", { apiKey: undefined, authToken: "crsr_a" }, "that belongs in CURSOR_API_KEY"],
    ["an expired token", { apiKey: undefined, authToken: expired }, "It expired on 2023-11-14"],
  ])("%s", async (_, options, message) => {
    const system = await openWholeSystem({}, options);
    for (let round = 0; round < 2; round++) {
      const { status, text } = await ask(system.url, "hello");
      expect(status).toBe(401);
      expect(text).toContain(message);
      expect(text).toContain("curlew login");
      expect(text).not.toContain(options.apiKey ?? options.authToken);
    }
  });
});

it("a stored session of Cursor's editor is renewed once in its last week, and the new one is stored", async () => {
  const home = temporaryFolder();
  const file = join(home, "credentials.json");
  const store = new OwnStore({ file, choice: "file", platform: "linux", openKeychain: async () => undefined });
  const simulator = await openSimulator({ sessionTtlSeconds: 24 * 3_600 });
  const poll = () => fetch(`${simulator.url}/auth/poll?uuid=any&verifier=${"v".repeat(43)}`);
  await poll();
  const { accessToken: session } = (await (await poll()).json()) as { accessToken: string };
  const secret = { kind: "session", accessToken: session, refreshToken: session, canRenew: true } as const;
  await store.write({ secret, backendUrl: simulator.url, origin: "imported", createdMs: 1 });
  simulator.configure({ sessionTtlSeconds: 60 * 24 * 3_600 });
  const gateway = await startTestGateway({ home, logLevel: "silent", settings: { backendUrl: simulator.url } });
  onTestFinished(gateway.close);
  await askAtOnce(gateway.url, 50);
  expect(simulator.stats()).toMatchObject({ refreshes: 1, exchanges: 0 });
  await expect.poll(() => readFileSync(store.file, "utf8")).not.toContain(session);
  expect(await store.read()).toMatchObject({ state: "kept", kept: { secret: { kind: "session", canRenew: true } } });
});
