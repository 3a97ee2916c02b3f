import { afterEach, beforeEach, expect, it } from "vitest";
import { chat, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem, type TestSettings } from "../testing/gateway/whole-system.js";
import { chatTools, nativeTools } from "../testing/hostile/native-tools.js";
import { type Owner, startOwner } from "../testing/hostile/owner.js";

let owner: Owner;

beforeEach(async () => {
  owner = await startOwner();
});
afterEach(() => owner.close());

/** Plays a server that asks for everything that Cursor's own client would do here. For the SDK, see official-sdk/. */
async function demand(tools: readonly (string | number)[], settings: TestSettings, extras = {}) {
  const system = await startWholeSystem({ legacy: "working" }, settings);
  const reply = await chat(system.url, [{ role: "user", content: owner.demands(tools) }], extras);
  const { execsAsked } = system.simulator.stats();
  const paths = system.simulator.requests(5).map(({ path }) => path);
  await system.close();
  expect(reply).toMatchObject({ calls: [], finish: "stop" });
  expect(reply.text).toContain("done");
  expect(owner.harm(reply.text)).toEqual([]);
  return { ...reply, execsAsked, paths };
}

it.each(["h2", "h1"] as const)(
  `a server gets none of ${nativeTools.length} tools on agent over %s`,
  async (transport) => {
    const { text, execsAsked } = await demand(nativeTools, { transport }, { tools: [tool("look")] });
    // The simulated model reports the answer to each request.
    const answers = text.match(/^native \w+: [\w ]+/gm) ?? [];
    expect(answers).toHaveLength(nativeTools.length);
    expect(execsAsked).toBe(nativeTools.length + 1);
  },
);

it(`a server gets none of ${chatTools.length} tools on chat`, async () => {
  const { paths } = await demand(chatTools, { backend: "chat" });
  // The only one of the chat calls in which a server can ask for tools.
  expect(paths).toContain("/aiserver.v1.ChatService/StreamUnifiedChatWithTools");
});
