import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { AcpClient } from "../../../../testing/simulator/acp-client.js";
import { setUpCli } from "../../../../testing/simulator/cli-process.js";
import type { Scenario } from "../scenario.js";

const stand = await setUpCli();

function connect(scenario: Partial<Scenario> = {}, args?: readonly string[], env?: Record<string, string>) {
  stand.cli.setScenario(scenario);
  const machine = stand.machine();
  return { machine, acp: new AcpClient(machine, args, env) };
}

describe("signing in over ACP", () => {
  it("follows initialize", async () => {
    const { acp, machine } = connect({ loggedIn: false });
    expect(await acp.result("initialize", { protocolVersion: 1 })).toMatchObject({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: true,
        mcpCapabilities: { http: true, sse: true },
        promptCapabilities: { audio: false, embeddedContext: false, image: true },
        sessionCapabilities: { list: {} },
      },
      authMethods: [{ id: "cursor_login", name: "Cursor Login" }],
    });
    const { error } = await acp.request("session/new", { cwd: machine.workspace, mcpServers: [] });
    expect(error?.code).toBe(-32000);
    expect(error?.message).toMatch(
      /^Authentication required\. Please run agent login first, then call authenticate\(\)/,
    );
  });

  it("times out", async () => {
    const { acp } = connect({ loggedIn: false, authenticateMs: 1 });
    const { error } = await acp.request("authenticate", { methodId: "cursor_login" });
    expect(error).toEqual({ code: -32602, message: "Login failed or timed out. Please try again." });
  });
});

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

  it("is loaded by another process with its whole conversation, unless loading fails", async () => {
    const { acp, machine } = connect();
    const session = await acp.newSession(machine.workspace);
    await acp.prompt(session, "[[say Hello.]]");
    expect(await acp.close()).toEqual([0, null]);

    const params = { sessionId: session, cwd: machine.workspace, mcpServers: [] };
    const later = new AcpClient(machine);
    expect(await later.result("session/list")).toMatchObject({ sessions: [{ sessionId: session }] });
    expect(await later.result("session/load", params)).toBeNull();
    expect(later.said(session, "user_message_chunk")).toBe("[[say Hello.]]");
    expect(later.said(session)).toBe("Hello.");
    expect((await later.request("session/load", { ...params, sessionId: "x" })).error?.message).toBe(
      'Session "x" not found',
    );
    stand.cli.setScenario({ loadFails: true });
    expect((await new AcpClient(machine).request("session/load", params)).error?.code).toBe(-32602);
  });

  it("changes its mode and model by ACP's ids", async () => {
    const { acp, machine } = connect({}, ["--model", "gpt-5.5-low", "acp"]);
    const params = { cwd: machine.workspace, mcpServers: [] };
    const { sessionId, models } = await acp.result<{ sessionId: string; models: object }>("session/new", params);
    expect(models).toMatchObject({ currentModelId: "gpt-5.5[reasoning=low]" });
    expect(await acp.result("session/set_model", { sessionId, modelId: "default[]" })).toEqual({});
    expect((await acp.request("session/set_model", { sessionId, modelId: "auto" })).error?.code).toBe(-32602);
    const option = { sessionId, configId: "model", value: "gpt-5.5[reasoning=high]" };
    expect(await acp.result("session/set_config_option", option)).toMatchObject({
      configOptions: [{ id: "mode", currentValue: "agent" }, { currentValue: "gpt-5.5[reasoning=high]" }],
    });
    expect(await acp.result("session/set_mode", { sessionId, modeId: "ask" })).toEqual({});
    expect(acp.updates(sessionId).at(-1)).toEqual({ sessionUpdate: "current_mode_update", currentModeId: "ask" });
    expect((await acp.request("session/set_mode", { sessionId, modeId: "free" })).error?.code).toBe(-32602);
  });

  it("offers parameters one by one to a client that asks for them", async () => {
    const { acp, machine } = connect();
    const clientCapabilities = { _meta: { parameterizedModelPicker: true } };
    await acp.result("initialize", { protocolVersion: 1, clientCapabilities });
    const sessionId = await acp.newSession(machine.workspace);
    const set = (configId: string, value: string) =>
      acp.result<{ configOptions: object[] }>("session/set_config_option", { sessionId, configId, value });
    await set("model", "claude-opus-4-8");
    const { configOptions } = await set("effort", "low");
    expect(configOptions.slice(1)).toMatchObject([
      { id: "model", category: "model", currentValue: "claude-opus-4-8" },
      { id: "effort", category: "thought_level", currentValue: "low" },
      { id: "context", category: "model_config", currentValue: "200k" },
    ]);
    await expect(set("effort", "extreme")).rejects.toThrow("Invalid value");
  });

  it("lists models without a session", async () => {
    const { acp } = connect({ models: ["auto", "demo"] });
    expect(await acp.result("cursor/list_available_models")).toEqual({
      models: [
        { value: "default[]", name: "Auto" },
        { value: "demo[]", name: "demo" },
      ],
    });
  });
});

describe("a prompt over ACP ends", () => {
  it("as cancelled, with late text", async () => {
    const { acp, machine } = connect();
    const session = await acp.newSession(machine.workspace);
    const answer = acp.prompt(session, "[[say So]] [[wait 600000]] [[say never]]");
    await acp.until(({ params }) => params?.update?.content?.text === "So");
    acp.send({ method: "session/cancel", params: { sessionId: session } });
    expect((await answer).result).toEqual({ stopReason: "cancelled" });
    await acp.until(({ params }) => params?.update?.content?.text === "late words");
    await acp.prompt(session, "[[say Again.]]");
    expect(acp.said(session)).toBe("Solate wordsAgain.");
  });

  it("with an error in its last line, or as an error of the request", async () => {
    const { acp, machine } = connect();
    const session = await acp.newSession(machine.workspace);
    expect((await acp.prompt(session, "[[say So far.]] [[fail unavailable]]")).result).toEqual({
      stopReason: "end_turn",
    });
    expect(acp.said(session)).toBe("So far.\n\nError: T: [unavailable] Error");

    const { acp: other, machine: its } = connect({ acpErrors: "rpc" });
    const { error } = await other.prompt(await other.newSession(its.workspace), "[[fail unavailable]]");
    expect(error).toEqual({ code: -32603, message: "T: [unavailable] Error" });
  });
});
