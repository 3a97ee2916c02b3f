import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type ChatMessage, chat, result, tool } from "../../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../../testing/gateway/whole-system.js";
import { installSdk } from "./install.js";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const sdk = await installSdk({ version: "1.0.32", nodeMajor: "24" });
let system: WholeSystem;
beforeAll(async () => {
  system = await startWholeSystem({}, { backend: "sdk", sdkPath: fileURLToPath(sdk.module), sdkNode: sdk.node });
});
afterAll(() => system.close());

it("reports in /health whether the SDK is authenticated, before any turn", async () => {
  const health = async () => (await fetch(`${system.url}/health`)).json();
  await expect.poll(health).toMatchObject({
    auth: "authenticated",
    backends: { sdk: { auth: "authenticated" } },
  });
});

const said = (content: string): ChatMessage => ({ role: "user", content });

it("calls the client's tools, continues with their results, and remembers the conversation", async () => {
  const tools = [tool("weather", { city: { type: "string" } })];
  const messages = [said('My bird is a curlew. [[call weather {"city":"Bern"}]] [[say  So much for that.]]')];
  const asked = await chat(system.url, messages, { tools });
  expect(asked.calls).toMatchObject([{ function: { name: "weather", arguments: '{"city":"Bern"}' } }]);
  const history = [...messages, asked.message, result(asked.calls[0], "hail over Bern")];
  const answer = await chat(system.url, history, { tools });
  expect(answer.text).toMatch(/hail over Bern.*So much for that\./s);
  expect(system.simulator.stats().runs).toBe(1);
  const next = [...history, answer.message, said("Which bird is it?")];
  const last = await chat(system.url, next, { tools });
  expect(last.text).toContain("My bird is a curlew.");
  expect(system.simulator.stats()).toMatchObject({ runs: 2, conversations: 1 });
});
