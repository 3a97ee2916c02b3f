import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { setUpCli } from "../../../../testing/simulator/cli-process.js";

const stand = await setUpCli();

describe("a session over ACP", () => {
  it("works with the official library", async () => {
    stand.cli.setScenario({});
    const machine = stand.machine();
    const child = machine.start(["acp"]);
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin),
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    let said = "";
    const app = client({ name: "test" }).onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") said += update.content.text;
    });
    await app.connectWith(stream, async (agent) => {
      await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId } = await agent.request(methods.agent.session.new, { cwd: machine.workspace, mcpServers: [] });
      const prompt = [{ type: "text" as const, text: "[[think hm]][[say Hello you.]]" }];
      const answer = await agent.request(methods.agent.session.prompt, { sessionId, prompt });
      expect(answer).toMatchObject({ stopReason: "end_turn" });
    });
    expect(said).toBe("Hello you.");
  });
});
