import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { BetaLocalFilesystemMemoryTool, betaMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import OpenAI from "openai";
import type { Response, ResponseInputItem, ResponseStreamEvent, Tool } from "openai/resources/responses/responses";
import { ResponsesWS } from "openai/resources/responses/ws";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { field } from "../packages/gateway/turn/read-json.js";
import { postJson } from "../testing/clients/post-json.js";
import { openWholeSystem, startWholeSystem, type TestSettings } from "../testing/gateway/whole-system.js";
import { startedOnce } from "../testing/started.js";
import { VendorShapes } from "./vendors/vendor-shape.js";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
const shapes = new VendorShapes();

const system = startedOnce(() => startWholeSystem());
const openai = startedOnce(() => new OpenAI({ baseURL: `${system.url}/v1`, apiKey: "unused", maxRetries: 0 }));
beforeEach(() => system.simulator.reset());

const preview: Tool = { type: "computer_use_preview", display_width: 800, display_height: 600, environment: "linux" };
const screenshot = { type: "computer_screenshot", image_url: `data:image/png;base64,${PIXEL}` } as const;
const exit = { type: "exit", exit_code: 0 } as const;

interface Case {
  tool: Tool;
  /** What the model writes, and what the client gets of it. */
  input: object;
  item: object;
  result: (callId: string) => ResponseInputItem;
  shown: string;
}

const cases: Case[] = [
  {
    tool: { type: "shell", environment: { type: "local" } },
    input: { commands: ["ls", "pwd"], timeout_ms: 1000 },
    item: { type: "shell_call", action: { commands: ["ls", "pwd"], timeout_ms: 1000, max_output_length: null } },
    result: (call_id) => ({
      type: "shell_call_output",
      call_id,
      output: [{ stdout: "a.txt", stderr: "no tty", outcome: exit }],
    }),
    shown: "a.txt\nstderr:\nno tty\nExit code 0.",
  },
  {
    // The model writes one text where a list belongs, and a null: the conversation is the same nevertheless.
    tool: { type: "shell" },
    input: { commands: "ls", timeout_ms: null },
    item: { type: "shell_call", action: { commands: ["ls"], timeout_ms: null, max_output_length: null } },
    result: (call_id) => ({
      type: "shell_call_output",
      call_id,
      output: [{ stdout: "", stderr: "", outcome: { type: "timeout" } }],
    }),
    shown: "Timed out.",
  },
  {
    tool: { type: "local_shell" },
    input: { command: ["ls", "-l"], working_directory: "/tmp" },
    item: {
      type: "local_shell_call",
      action: { type: "exec", command: ["ls", "-l"], env: {}, working_directory: "/tmp" },
    },
    result: (id) => ({ type: "local_shell_call_output", id, output: '{"output":"total 0"}' }),
    shown: "total 0",
  },
  {
    tool: { type: "apply_patch" },
    input: { type: "create_file", path: "a.txt", diff: "+one\n" },
    item: { type: "apply_patch_call", operation: { type: "create_file", path: "a.txt", diff: "+one\n" } },
    result: (call_id) => ({ type: "apply_patch_call_output", call_id, status: "failed", output: "a.txt exists" }),
    shown: "a.txt exists",
  },
  {
    tool: preview,
    input: { type: "click", x: 1, y: 2 },
    item: {
      type: "computer_call",
      action: { type: "click", button: "left", x: 1, y: 2 },
      pending_safety_checks: [],
    },
    result: (call_id) => ({ type: "computer_call_output", call_id, output: screenshot }),
    shown: "Result of computer_use_preview: ",
  },
  {
    tool: { type: "computer" },
    input: { actions: [{ type: "double_click", x: 1, y: 2 }, { type: "screenshot" }] },
    item: {
      type: "computer_call",
      actions: [{ type: "double_click", keys: null, x: 1, y: 2 }, { type: "screenshot" }],
    },
    result: (call_id) => ({ type: "computer_call_output", call_id, output: screenshot }),
    shown: "Result of computer: ",
  },
];

function callOf(output: Response["output"]) {
  const [call] = output.filter((item) => item.type.endsWith("_call"));
  if (call === undefined || !("call_id" in call) || typeof call.call_id !== "string") throw new Error("no call");
  return { call, callId: call.call_id };
}

const ask = (tool: Tool, input: object) => `[[call ${tool.type} ${JSON.stringify(input)}]]`;

describe.each(cases)("OpenAI's tool $tool.type, with $input", ({ tool, input, item, result, shown }) => {
  const tools = [tool];
  const question = { role: "user" as const, content: ask(tool, input) };

  it("is called in its own shape, and its result goes to the same run when the client sends all items back", async () => {
    const first = await openai.responses.create({ model: "auto", tools, input: [question], store: false });
    expect(first.output).toMatchObject([{ ...item, status: "completed" }]);
    const { callId } = callOf(first.output);
    const items = [question, ...first.output, result(callId)] as ResponseInputItem[];
    const request = { model: "auto", tools, input: items, store: false };
    const { data, response } = await openai.responses.create(request).withResponse();
    expect(data.output_text).toContain(shown);
    expect(response.headers.get("x-curlew-continuity")).toBe("warm");
    expect(system.simulator.stats()).toMatchObject({ runs: 1, conversations: 1 });
  });

  it("streams the item whole, without events of a function, and continues from the stored response", async () => {
    const events: ResponseStreamEvent[] = [];
    const stream = await openai.responses.create({ model: "auto", tools, input: [question], stream: true });
    for await (const event of stream) {
      shapes.check("openai.responseEvent", event);
      events.push(event);
    }
    const last = events.at(-1);
    if (last?.type !== "response.completed") throw new Error("not completed");
    const first = last.response;
    expect(first.output).toMatchObject([item]);
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.output_item.done",
      "response.completed",
    ]);
    const next = { model: "auto", tools, previous_response_id: first.id, input: [result(callOf(first.output).callId)] };
    const { data, response } = await openai.responses.create(next).withResponse();
    expect(data.output_text).toContain(shown);
    expect(response.headers.get("x-curlew-continuity")).toBe("warm");
    expect(system.simulator.stats().runs).toBe(1);
    const listed = await fetch(`${system.url}/v1/responses/${data.id}/input_items`);
    shapes.check("openai.inputItems", await listed.json());
  });
});

describe("OpenAI's tools", () => {
  it("work over a WebSocket", async () => {
    const socket = new ResponsesWS(openai);
    onTestFinished(() => socket.close());
    const completed = () =>
      new Promise<Response>((resolve) => socket.once("response.completed", ({ response }) => resolve(response)));
    const tools: Tool[] = [{ type: "shell" }];
    const input = '[[call shell {"commands":["ls"]}]]';
    socket.send({ type: "response.create", model: "auto", store: false, tools, input });
    const first = await completed();
    const { call, callId } = callOf(first.output);
    expect(call).toMatchObject({ type: "shell_call" });
    const results: ResponseInputItem[] = [
      { type: "shell_call_output", call_id: callId, output: [{ stdout: "b.txt", stderr: "", outcome: exit }] },
    ];
    const next = { model: "auto", store: false, tools, input: results, previous_response_id: first.id };
    socket.send({ type: "response.create", ...next });
    expect(JSON.stringify((await completed()).output)).toContain("b.txt");
    expect(system.simulator.stats().runs).toBe(1);
  });

  it("stay on one run when the model names the text of a custom tool otherwise", async () => {
    const tools: Tool[] = [{ type: "custom", name: "exec" }];
    const question = { role: "user" as const, content: '[[call exec {"code":"1 + 1"}]]' };
    const { output } = await openai.responses.create({ model: "auto", tools, input: [question] });
    expect(output).toMatchObject([{ type: "custom_tool_call", input: "1 + 1" }]);
    const { callId } = callOf(output);
    const result = { type: "custom_tool_call_output", call_id: callId, output: "2" } as const;
    const items = [question, ...output, result] as ResponseInputItem[];
    await openai.responses.create({ model: "auto", tools, input: items });
    expect(system.simulator.stats().runs).toBe(1);
  });

  it("are called as functions if the arguments do not fit, so that the client can refuse", async () => {
    const tools: Tool[] = [{ type: "apply_patch" }];
    const question = { role: "user" as const, content: '[[call apply_patch {"patch":"*** Begin Patch"}]]' };
    const first = await openai.responses.stream({ model: "auto", tools, input: [question] }).finalResponse();
    const { call, callId } = callOf(first.output);
    expect(call).toMatchObject({
      type: "function_call",
      name: "apply_patch",
      arguments: '{"patch":"*** Begin Patch"}',
    });
    const output = { type: "function_call_output", call_id: callId, output: "no such function" } as const;
    const input = [question, ...first.output, output] as ResponseInputItem[];
    const second = await openai.responses.create({ model: "auto", tools, input });
    expect(second.output_text).toContain("no such function");
    expect(system.simulator.stats().runs).toBe(1);
  });
});

describe("Cursor's built-in read", () => {
  const content = '[[native read {"path":"a b.txt"}]] then [[say read]]';

  it.each([
    ["shell", { commands: ["cat 'a b.txt'"] }, [{ stdout: "heron", stderr: "", outcome: exit }]],
    ["local_shell", { command: ["bash", "-lc", "cat 'a b.txt'"] }, '{"output":"heron","metadata":{"exit_code":0}}'],
  ])("is a command of OpenAI's %s, and its result the file alone", async (type, action, output) => {
    const tools = [{ type }] as Tool[];
    const question = { role: "user" as const, content };
    const first = await openai.responses.create({ model: "auto", tools, input: [question] });
    expect(first.output).toMatchObject([{ type: `${type}_call`, action }]);
    const { callId } = callOf(first.output);
    const result = { type: `${type}_call_output`, call_id: callId, output };
    const items = [question, ...first.output, result] as ResponseInputItem[];
    const second = await openai.responses.create({ model: "auto", tools, input: items });
    expect(second.output_text).toMatch(/^native read: success: heron$/m);
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsThrown: 0 });
  });

  it("is a command of Anthropic's bash", async () => {
    const client = new Anthropic({ baseURL: system.url, apiKey: "unused", maxRetries: 0 });
    const tools: Anthropic.ToolUnion[] = [{ type: "bash_20250124", name: "bash" }];
    const request = { model: "auto", max_tokens: 100, tools };
    const question = { role: "user" as const, content };
    const { content: blocks } = await client.messages.create({ ...request, messages: [question] });
    const command = { type: "tool_use", name: "bash", input: { command: "cat 'a b.txt'" } };
    expect(blocks).toMatchObject([command]);
    const result = { type: "tool_result" as const, tool_use_id: String(field(blocks[0], "id")), content: "heron" };
    const messages = [
      question,
      { role: "assistant" as const, content: blocks },
      { role: "user" as const, content: [result] },
    ];
    const second = await client.messages.create({ ...request, messages });
    expect(JSON.stringify(second.content)).toContain("native read: success: heron");
  });
});

describe("Anthropic's memory tool", () => {
  it("runs all its rounds on one run, by the package's own tool runner", async () => {
    const client = new Anthropic({ baseURL: system.url, apiKey: "unused", maxRetries: 0 });
    const folder = mkdtempSync(join(tmpdir(), "curlew-memory-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const memory = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(folder));
    const rounds = [
      { command: "create", path: "/memories/a", file_text: "green tea" },
      { command: "str_replace", path: "/memories/a", old_str: "green", new_str: "black" },
      { command: "rename", old_path: "/memories/a", new_path: "/memories/b" },
      { command: "view", path: "/memories/../../a" },
      { command: "view", path: "/memories/b" },
    ].map((input) => `[[call memory ${JSON.stringify(input)}]]`);
    const message = await client.beta.messages.toolRunner({
      model: "auto",
      max_tokens: 1_000,
      messages: [{ role: "user", content: rounds.join(" then ") }],
      tools: [memory],
    });
    expect(readFileSync(join(folder, "memories", "b"), "utf8")).toBe("black tea");
    expect(JSON.stringify(message.content)).toContain("black tea");
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAbandoned: 0 });
  });
});

describe("a vendor's search of the web", () => {
  const [type, dated] = ["web_search", "web_search_20250305"];
  it.each([
    ["/v1/responses", type, { input: "hi", tools: [{ type }] }],
    [
      "/v1/messages",
      dated,
      { max_tokens: 100, messages: [{ role: "user", content: "hi" }], tools: [{ type: dated, name: type }] },
    ],
  ])("is left to Cursor's own, or the reply says what is missing: %s", async (route, name, fields) => {
    const warned = async (settings: TestSettings) => {
      const { url } = await openWholeSystem({ legacy: "working" }, settings);
      const reply = await postJson(url + route, { model: "auto", ...fields });
      expect(reply.status).toBe(200);
      return reply.headers.get("x-curlew-warnings");
    };
    const leftOut = `The tool ${name} is left out: it needs the agent backend and the setting webTools.`;
    expect(await warned({ webTools: false })).toBe(leftOut);
    expect(await warned({ webTools: true, backend: "chat" })).toBe(leftOut);
    expect(await warned({ webTools: true })).toBeNull();
  });
});
