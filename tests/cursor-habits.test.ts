import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import type { Settings } from "../packages/cli/config/settings.js";
import type { SimulatorStart } from "../packages/simulator/index.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

let system: WholeSystem;
afterEach(() => system.close());

async function start(simulated: SimulatorStart, options: Partial<Settings> = {}): Promise<OpenAI> {
  system = await startWholeSystem(simulated, options);
  return new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused", maxRetries: 0 });
}

const user = (content: string) => ({ role: "user" as const, content });

describe.each(["h2", "h1"] as const)("a stream that stays open after the end of the turn, over %s", (transport) => {
  it("leaves a conversation that is warm in the next turn", async () => {
    const client = await start({ turnEnd: "open", transport });
    const messages: OpenAI.ChatCompletionMessageParam[] = [user("[[say First.]]")];
    const first = await client.chat.completions.create({ model: "auto", messages });
    expect(first.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "First." } });
    messages.push({ role: "assistant", content: first.choices[0]?.message.content ?? "" }, user("[[say Second.]]"));
    const { response } = await client.chat.completions.create({ model: "auto", messages }).withResponse();
    expect(response.headers.get("x-curlew-continuity")).toBe("warm");
    const { runs, sessions } = system.simulator.stats();
    // Only the stream was reset: the next run uses the same HTTP/2 session.
    expect({ runs, sessions }).toEqual({ runs: 2, sessions: transport === "h2" ? 1 : 0 });
  });

  it("gives the whole answer without a checkpoint, too", async () => {
    await start({ turnEnd: "open-bare", transport });
    const client = new Anthropic({ baseURL: system.url, apiKey: "unused", maxRetries: 0 });
    const { content, stop_reason } = await client.messages.create({
      model: "auto",
      max_tokens: 1_000,
      messages: [user("[[say All of it.]]")],
    });
    expect(content).toMatchObject([{ type: "text", text: "All of it." }]);
    expect(stop_reason).toBe("end_turn");
  });
});

describe("an approval request for a call", () => {
  const tools: OpenAI.ChatCompletionTool[] = ["look", "listen"].map((name) => ({
    type: "function",
    function: { name, parameters: { type: "object", properties: { at: { type: "string" } } } },
  }));

  it.each([true, false])(
    "is answered without the client, which runs the call once (partial: %s)",
    async (isPartial) => {
      const client = await start({ approvals: true });
      const calls = '[[call look {"at":"birds"}]] [[call listen {"at":"frogs"}]]';
      const messages: OpenAI.ChatCompletionMessageParam[] = [
        user(`${isPartial ? "[[partial]] " : ""}${calls} then [[say Done.]]`),
      ];
      const first = await client.chat.completions.create({ model: "auto", messages, tools });
      const { message, finish_reason } = first.choices[0] as OpenAI.ChatCompletion.Choice;
      expect(finish_reason).toBe("tool_calls");
      expect(message.tool_calls).toMatchObject([
        { function: { name: "look", arguments: '{"at":"birds"}' } },
        { function: { name: "listen", arguments: '{"at":"frogs"}' } },
      ]);
      messages.push(message);
      for (const { id } of message.tool_calls ?? [])
        messages.push({ role: "tool", tool_call_id: id, content: `of ${id}` });
      const second = await client.chat.completions.create({ model: "auto", messages, tools });
      const said = second.choices[0]?.message.content ?? "";
      expect(said).toMatch(/Done\.$/);
      for (const { id } of message.tool_calls ?? []) expect(said).toContain(`of ${id}`);
      expect(said).not.toContain("not approved");
      // An approval and a call for each of the two; the run's context is the fifth.
      expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAsked: 5, execsAnswered: 5 });
    },
  );

  it("is answered for the gateway's own tools as well", async () => {
    const program = new URL("../testing/programs/mcp-server.js", import.meta.url).pathname;
    const servers = { test: { command: process.execPath, args: [program], timeoutMs: 15_000 } };
    const client = await start({ approvals: true }, { mcp: { servers } });
    const { choices } = await client.chat.completions.create({
      model: "auto",
      messages: [user('[[call mcp__test__echo {"text":"once"}]] then [[say Done.]]')],
    });
    expect(choices[0]?.message.content).toMatch(/echo: once.*Done\.$/s);
    expect(system.simulator.stats()).toMatchObject({ execsAsked: 3, execsAnswered: 3 });
  });

  it("is rejected, naming the available tools, when the tool may not be called", async () => {
    const client = await start({ approvals: true });
    const { choices } = await client.chat.completions.create({
      model: "auto",
      messages: [user("[[call look {}]] then [[say Done.]]")],
      tools,
      tool_choice: "none",
    });
    expect(choices[0]?.message).toMatchObject({ content: expect.stringContaining("not approved: tool not found: ") });
    expect(choices[0]?.message.tool_calls).toBeUndefined();
  });
});
