import { describe, expect, it } from "vitest";
import { parseRequest } from "./parse.js";

const hi = [{ role: "user", content: "hi" }];
const minimal = { model: "auto", max_tokens: 1_000, messages: hi };
const parse = (fields: object = {}) => parseRequest({ body: { ...minimal, ...fields } });
const turnOf = (fields: object = {}) => parse(fields).turn;

it("refuses a schema that is deeper than the wire allows, with its path", () => {
  let input_schema = {};
  for (let level = 1; level < 100; level++) input_schema = { a: input_schema };
  expect(() => parse({ tools: [{ name: "f", input_schema }] })).toThrow(
    "tools[0].input_schema: must not go deeper than 99 levels.",
  );
});

describe("a request", () => {
  it("becomes a turn", () => {
    expect(parse()).toEqual({
      turn: {
        model: "auto",
        system: "",
        messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
        tools: [],
        toolChoice: { type: "auto" },
        parallelToolCalls: true,
        maxTokens: 1_000,
        mcpServers: [],
        webTool: undefined,
        warnings: [],
      },
      wantsStream: false,
      wantsCacheMiss: false,
      request: { thinking: "none", inputTokens: 1 },
    });
  });

  it("may have many fields that are ignored here", () => {
    const fields = {
      metadata: { user_id: '{"session_id":"x"}' },
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
      service_tier: "auto",
      cache_control: { type: "ephemeral" },
      temperature: 1,
      container: null,
      mcp_servers: [],
      thread: false,
      compaction: null,
      tomorrow: { s: "field" },
    };
    expect(turnOf(fields).warnings).toEqual([]);
  });

  it("lists the options that are left out", () => {
    const fields = { temperature: 0.5, top_p: 0.9, top_k: 5, speed: "fast" };
    expect(turnOf(fields).warnings).toEqual(["Not supported here and ignored: temperature, top_p, top_k, speed."]);
  });

  it("warns that the model does not continue a prefilled message", () => {
    const messages = [...hi, { role: "assistant", content: "The answer is" }];
    expect(turnOf({ messages }).warnings).toEqual([expect.stringContaining("starts anew")]);
  });

  it("streams if requested", () => {
    expect([parse({ stream: true }).wantsStream, parse({ stream: null }).wantsStream]).toEqual([true, false]);
  });

  it("sets stop sequences and the token limit", () => {
    expect(turnOf({ stop_sequences: ["END", ""], max_tokens: 7 })).toMatchObject({ stop: ["END"], maxTokens: 7 });
    expect(turnOf({ stop_sequences: [] })).not.toHaveProperty("stop");
  });

  const schema = { type: "object", properties: { a: { type: "string" } } };
  it.each([
    ["output_config.format", { output_config: { format: { type: "json_schema", schema } } }],
    ["output_format", { output_format: { type: "json_schema", schema } }],
  ])("requests a format in %s", (path, fields) => {
    expect(turnOf(fields).format).toEqual({ type: "json-schema", name: "answer", schema, param: `${path}.schema` });
  });

  it("requests no format with null", () => {
    expect(turnOf({ output_config: { format: null }, output_format: null })).not.toHaveProperty("format");
  });
});

describe("thinking", () => {
  it.each([
    [{}, undefined, "none"],
    [{ thinking: { type: "disabled" } }, "none", "none"],
    [{ thinking: { type: "adaptive" } }, undefined, "shown"],
    [{ thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "high" } }, "high", "omitted"],
    [{ thinking: { type: "enabled", budget_tokens: 1_024, display: "summarized" } }, "low", "shown"],
    [{ thinking: { type: "enabled", budget_tokens: 4_096 } }, "medium", "shown"],
    [{ thinking: { type: "enabled", budget_tokens: 15_999 } }, "medium", "shown"],
    [{ thinking: { type: "enabled", budget_tokens: 16_000 } }, "high", "shown"],
    [{ thinking: { type: "enabled", budget_tokens: 31_999, display: "omitted" } }, "high", "omitted"],
    [{ thinking: { type: "enabled", budget_tokens: 32_000 } }, "max", "shown"],
    [{ thinking: { type: "enabled", budget_tokens: 64_000 }, output_config: { effort: "low" } }, "low", "shown"],
    [{ output_config: { effort: "xhigh" } }, "xhigh", "none"],
  ])("%j is the effort %s, and %s", (fields, effort, thinking) => {
    const { turn, request } = parse(fields);
    expect([turn.effort, request.thinking]).toEqual([effort, thinking]);
  });
});

describe("tools", () => {
  const input_schema = { type: "object", properties: { path: { type: "string" } } };
  const read = { name: "Read", description: "Reads.", input_schema };

  it("of the client are offered, with or without a type", () => {
    const tools = [
      { ...read, cache_control: { type: "ephemeral" } },
      { type: "custom", name: "Write", input_schema },
      { type: null, name: "Bare" },
    ];
    expect(turnOf({ tools }).tools).toEqual([
      { name: "Read", description: "Reads.", inputSchema: input_schema },
      { name: "Write", description: "", inputSchema: input_schema },
      { name: "Bare", description: "", inputSchema: { type: "object", properties: {} } },
    ]);
  });

  it("are offered once they are loaded, if they are deferred", () => {
    const later = { name: "Later", input_schema, defer_loading: true };
    const bash = { type: "bash_20250124", name: "bash", defer_loading: true };
    const reserved = { name: "DeferredToolPlaceholder", description: "Never call this.", defer_loading: true };
    const tools = [read, later, bash, reserved];
    const namesIn = (fields: object) => turnOf(fields).tools.map(({ name }) => name);
    expect(namesIn({ tools })).toEqual(["Read"]);
    const search = { type: "tool_use", id: "s", name: "Search", input: {} };
    const content = ["Later", "bash"].map((tool_name) => ({ type: "tool_reference", tool_name }));
    const found = [
      { role: "user", content: "hi" },
      { role: "assistant", content: [search] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "s", content }] },
    ];
    expect(namesIn({ tools, messages: found })).toEqual(["Read", "Later", "bash"]);
    expect(namesIn({ tools, messages: [...found, { role: "assistant", content: "ok" }] })).toHaveLength(3);
    // Nothing but Anthropic's own search could load them here.
    const hosted = { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" };
    expect(namesIn({ tools: [hosted, read, later] })).toEqual(["Read", "Later"]);
  });

  it("that Anthropic runs are left out, and the client gets a warning", () => {
    const tools = [
      { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
      read,
      { type: "code_execution_20260521", name: "code_execution" },
      { type: "computer_toolset_20260801" },
    ];
    expect(turnOf({ tools })).toMatchObject({
      tools: [{ name: "Read" }],
      warnings: [
        "Tools that Anthropic runs are not available here; left out: tool_search_tool_regex_20251119, code_execution_20260521.",
        "Tools of these types are not supported here; left out: computer_toolset_20260801.",
      ],
    });
  });

  it("that search or read the web are left to Cursor's own, without the limits of the request", () => {
    const search = { type: "web_search_20250305", name: "web_search" };
    expect(turnOf({ tools: [search, read] })).toMatchObject({
      webTool: search.type,
      tools: [{ name: "Read" }],
      warnings: [],
    });
    const limited = { type: "web_fetch_20250910", name: "web_fetch", max_uses: 5 };
    expect(turnOf({ tools: [limited] })).toMatchObject({
      webTool: limited.type,
      warnings: ["The limits of web_fetch_20250910 (uses and domains) are ignored."],
    });
  });

  it("of MCP servers keep the terms of the request, in the new form and in the old one", () => {
    const server = (name: string, more = {}) => ({ type: "url", name, url: `https://${name}.example/mcp`, ...more });
    const toolset = (mcp_server_name: string, more = {}) => ({ type: "mcp_toolset", mcp_server_name, ...more });
    const on = { enabled: true };
    const off = { enabled: false };
    const mcp_servers = [
      server("all"),
      server("some"),
      server("most"),
      server("old", { tool_configuration: { allowed_tools: ["a"] } }),
      server("none", { tool_configuration: off }),
    ];
    const tools = [
      toolset("all"),
      toolset("some", { default_config: off, configs: { a: on, b: off } }),
      toolset("most", { configs: { a: on, b: off } }),
    ];
    const { mcpServers, warnings } = turnOf({ mcp_servers, tools });
    expect(mcpServers).toEqual([
      { label: "all", url: "https://all.example/mcp", deny: new Set() },
      { label: "some", url: "https://some.example/mcp", allow: new Set(["a"]) },
      { label: "most", url: "https://most.example/mcp", deny: new Set(["b"]) },
      { label: "old", url: "https://old.example/mcp", allow: new Set(["a"]) },
      { label: "none", url: "https://none.example/mcp", allow: new Set() },
    ]);
    expect(warnings).toEqual([]);
    expect(() => parse({ mcp_servers: Array(51).fill(server("all")) })).toThrow("must name at most 50 servers");
  });

  const oneByOne = { disable_parallel_tool_use: true };
  it.each<[object, object, boolean]>([
    [{ type: "auto" }, { type: "auto" }, true],
    [{ type: "any", ...oneByOne }, { type: "required" }, false],
    [{ type: "tool", name: "Read" }, { type: "tool", name: "Read" }, true],
    [{ type: "none" }, { type: "none" }, true],
    [{ type: "auto", ...oneByOne }, { type: "auto" }, false],
  ])("are chosen by %j", (tool_choice, toolChoice, parallelToolCalls) => {
    expect(turnOf({ tools: [read], tool_choice })).toMatchObject({ toolChoice, parallelToolCalls });
  });

  it("are required as in the request, even if none is offered", () => {
    expect(turnOf({ tool_choice: { type: "any" } }).toolChoice).toEqual({ type: "required" });
  });
});

describe("a bad request", () => {
  const also = (fields: object) => ({ ...minimal, ...fields });
  const saying = (said: object) => also({ messages: [{ role: "user", content: [said] }] });
  const image = (source: object) => saying({ type: "image", source });
  const noPdf = { type: "base64", media_type: "application/pdf", data: "aGk=" };
  const block = "messages[0].content[0]";

  it.each<[string, unknown, param: string, words?: string]>([
    ["without max_tokens", { model: "auto", messages: hi }, "max_tokens"],
    ["with no room for an answer", also({ max_tokens: 0 }), "max_tokens", "1 or more"],
    ["without a model", { max_tokens: 1, messages: hi }, "model"],
    ["without messages", { model: "auto", max_tokens: 1 }, "messages"],
    ["with a strange role", also({ messages: [{ role: "tool", content: "" }] }), "messages[0].role", ""],
    ["with a number for content", also({ messages: [{ role: "user", content: 5 }] }), "messages[0].content", ""],
    ["with a broken block", saying({ type: "text" }), `${block}.text`],
    ["with a broken image", image({ type: "base64" }), `${block}.source.media_type`],
    ["with an uploaded image", image({ type: "file", file_id: "f" }), `${block}.source`, "cannot be uploaded"],
    ["with an invalid document", saying({ type: "document", source: noPdf }), block, "is not a PDF"],
    ["with a result without its call", saying({ type: "tool_result", content: "x" }), `${block}.tool_use_id`],
    ["with a tool without a name", also({ tools: [{ input_schema: {} }] }), "tools[0].name"],
    ["with a strange choice", also({ tool_choice: { type: "some" } }), "tool_choice.type", ""],
    ["with another format", also({ output_config: { format: { type: "xml" } } }), "output_config.format.type", ""],
  ])("%s is refused by the path of the field", (_, body, param, words = `Missing required field \`${param}\` (`) => {
    expect(() => parseRequest({ body })).toThrowError(
      expect.objectContaining({ code: "invalid_request", param, message: expect.stringContaining(words) }),
    );
  });

  it.each([
    { messages: [] },
    { messages: [{ role: "system", content: "Be brief." }] },
    { messages: [{ role: "assistant", content: [] }] },
  ])("with nothing to answer is refused: %j", (fields) => {
    expect(() => parse(fields)).toThrowError(expect.objectContaining({ code: "missing_messages" }));
  });

  it.each([{ type: "create" }, { type: "continue", previous_message_id: "msg_1" }, true])(
    "for a thread is refused before anything else: %j",
    (thread) => {
      expect(() => parseRequest({ body: { thread } })).toThrowError(
        expect.objectContaining({ code: "thread_unsupported" }),
      );
    },
  );

  it("with a compaction is refused", () => {
    expect(() => parse({ compaction: { type: "summarize" } })).toThrowError(
      expect.objectContaining({ code: "unsupported_parameter", param: "compaction" }),
    );
  });
});
