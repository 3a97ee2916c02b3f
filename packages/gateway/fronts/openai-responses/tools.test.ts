import { describe, expect, it } from "vitest";
import { emptyStore } from "../../../../testing/clients/client-request.js";
import { parseRequest } from "./parse.js";
import { readPublishedCall } from "./published-tools.js";

const parse = (fields: object) => parseRequest({ body: { model: "auto", input: "hi", ...fields }, store: emptyStore });
const namesOf = (fields: object) => parse(fields).turn.tools.map(({ name }) => name);

const ls = { type: "function", name: "ls", description: "Lists.", parameters: { type: "object" }, strict: false };
const patch = {
  type: "custom",
  name: "patch",
  description: "Patches.",
  format: { type: "grammar", syntax: "lark", definition: "start: /a+/" },
};
const namespace = (name: string, ...tools: object[]) => ({ type: "namespace", name, tools });

describe("the tools of a request", () => {
  it("are functions, and custom tools as functions with one text", () => {
    const { turn, request } = parse({ tools: [ls, patch] });
    expect(turn.tools).toMatchObject([
      { name: "ls", description: "Lists.", inputSchema: { type: "object" } },
      {
        name: "patch",
        description: "Patches.",
        inputSchema: { properties: { input: { type: "string", description: expect.stringContaining("start: /a+/") } } },
      },
    ]);
    expect(request.names.toClient("ls").isCustom).toBe(false);
    expect(request.names.toClient("patch").isCustom).toBe(true);
  });

  it("in a namespace have unique names, and the first has the description of the namespace", () => {
    const agents = { ...namespace("agents", ls, { ...patch, description: null }), description: "Other agents." };
    const { turn, request } = parse({ tools: [agents] });
    expect(turn.tools).toMatchObject([
      { name: "agents__ls", description: "Lists.\n\nAbout all tools of agents: Other agents." },
      { name: "agents__patch", description: "" },
    ]);
    expect(request.names.toClient("agents__ls")).toEqual({ name: "ls", namespace: "agents", isCustom: false });
    expect(request.names.toClient("agents__patch")).toEqual({ name: "patch", namespace: "agents", isCustom: true });
  });

  it("may be an item of the input, as Codex sends them", () => {
    const tools = [namespace("functions", { ...patch, name: "exec" }, { ...ls, name: "wait" })];
    const more = { type: "additional_tools", role: "developer", tools };
    const { turn, request } = parse({ input: [more, { role: "user", content: "hi" }] });
    expect(turn.tools.map(({ name }) => name)).toEqual(["functions__exec", "functions__wait"]);
    expect(turn.messages).toHaveLength(1);
    expect(turn.warnings).toEqual([]);
    expect(request.names.toClient("functions__exec").isCustom).toBe(true);
  });

  it("are left out with a warning if OpenAI would run them", () => {
    const { tools, warnings } = parse({
      tools: [{ type: "code_interpreter" }, ls, namespace("n", { type: "tool_search" })],
    }).turn;
    expect(tools.map(({ name }) => name)).toEqual(["ls"]);
    expect(warnings).toEqual([
      "Tools that OpenAI hosts are not available here; left out: code_interpreter, tool_search.",
    ]);
  });

  it("that search the web are left to Cursor's own, without filters", () => {
    const search = { type: "web_search_preview", search_context_size: "low" };
    expect(parse({ tools: [search] }).turn).toMatchObject({ webTool: search.type, tools: [], warnings: [] });
    for (const more of [{ filters: { allowed_domains: ["a.example"] } }, { external_web_access: false }]) {
      expect(parse({ tools: [{ type: "web_search", ...more }] }).turn.warnings).toEqual([
        "Not supported here and ignored: filters and external_web_access of web_search.",
      ]);
    }
  });

  const url = "https://x.example/mcp";
  const approval = 'a call cannot be approved here; send require_approval: "never"';
  it.each([
    [{ server_url: url, require_approval: "never" }, { url }],
    [
      { server_url: url, require_approval: "never", allowed_tools: ["a"] },
      { url, allow: new Set(["a"]) },
    ],
    [
      { server_url: url, require_approval: "never", allowed_tools: { tool_names: ["b"] } },
      { url, allow: new Set(["b"]) },
    ],
    [
      { server_url: url, require_approval: "never", allowed_tools: { read_only: true } },
      { url, problem: "which of them only read is not known here" },
    ],
    [{ server_url: url }, { url, problem: approval }],
    [
      { server_url: url, require_approval: "always" },
      { url, problem: approval },
    ],
    [
      { server_url: url, require_approval: { never: { tool_names: ["a"] } } },
      { url, problem: approval },
    ],
    [{ connector_id: "connector_gmail", require_approval: "never" }, {}],
  ])("of an MCP server keep the terms of the request: %j", (fields, terms) => {
    const { mcpServers, warnings } = parse({ tools: [{ type: "mcp", server_label: "far", ...fields }, ls] }).turn;
    expect(mcpServers).toEqual([{ label: "far", url: undefined, allow: undefined, problem: undefined, ...terms }]);
    expect(warnings).toEqual([]);
  });

  it("may name up to fifty MCP servers", () => {
    const named = { type: "mcp", server_label: "far", server_url: url, require_approval: "never" };
    expect(() => parse({ tools: Array(51).fill(named) })).toThrow("tools: name too many MCP servers");
  });

  it("have names that are unique, safe and not too long", () => {
    const long = "x".repeat(60);
    const names = namesOf({
      tools: [
        { ...ls, name: "a__ls" },
        namespace("a", ls),
        namespace("mcp__git hub__", ls),
        namespace(long, { ...ls, name: `${long}1` }),
        namespace(long, { ...ls, name: `${long}2` }),
      ],
    });
    expect(names.slice(0, 3)).toEqual(["a__ls", "a__ls_2", "mcp__git_hub__ls"]);
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
  });

  it("are merged when offered twice; the last offer counts", () => {
    const again = { type: "additional_tools", tools: [{ ...ls, description: "Lists all." }, patch] };
    const { tools } = parse({ tools: [ls, patch], input: [again, { role: "user", content: "hi" }] }).turn;
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ["ls", "Lists all."],
      ["patch", "Patches."],
    ]);
  });

  it("keep their names in earlier calls, even when no longer offered", () => {
    const input = [
      { role: "user", content: "hi" },
      { type: "function_call", call_id: "c1", name: "ls", namespace: "a", arguments: "{}" },
      { type: "custom_tool_call", call_id: "c2", name: "exec", namespace: "gone", input: "x" },
    ];
    const { messages } = parse({ tools: [{ ...ls, name: "a__ls" }, namespace("a", ls)], input }).turn;
    expect(messages[1]).toMatchObject({ content: [{ name: "a__ls_2" }, { name: "gone__exec" }] });
  });
});

describe("a tool that OpenAI publishes and the client runs", () => {
  const display = { display_width: 800, display_height: 600, environment: "linux" };
  const container = { type: "shell", environment: { type: "container_auto" } };

  it("is offered by its type, with what the request says about it", () => {
    const skill = { name: "pdf", description: "Reads PDFs.", path: "/skills/pdf" };
    const { tools, warnings } = parse({
      tools: [
        { type: "shell", environment: { type: "local", skills: [skill] } },
        { type: "computer_use_preview", ...display },
        { ...ls, name: "apply_patch" },
        { type: "apply_patch" },
      ],
    }).turn;
    expect(tools).toMatchObject([
      { name: "shell", description: expect.stringContaining("- pdf (in /skills/pdf): Reads PDFs.") },
      { name: "computer_use_preview", description: expect.stringContaining("800 by 600 pixels (linux)") },
      { name: "apply_patch", description: "Lists." },
      { name: "apply_patch_2" },
    ]);
    expect(warnings).toEqual([]);
  });

  it("is left out with a warning if OpenAI would run it in a container", () => {
    const { tools, warnings } = parse({ tools: [container, { type: "local_shell" }] }).turn;
    expect(tools.map(({ name }) => name)).toEqual(["local_shell"]);
    expect(warnings).toEqual(["Tools that OpenAI hosts are not available here; left out: shell in a container."]);
  });

  it.each([
    [{ type: "shell" }, { type: "tool", name: "shell" }],
    [{ type: "computer_use" }, { type: "tool", name: "computer" }],
    [{ type: "allowed_tools", mode: "required", tools: [{ type: "shell" }] }, { type: "required" }],
  ])("can be chosen by its type: %j", (tool_choice, toolChoice) => {
    const { turn } = parse({ tools: [{ type: "shell" }, { type: "computer" }, ls], tool_choice });
    expect(turn).toMatchObject({ toolChoice, warnings: [] });
    expect(turn.tools).toHaveLength(toolChoice.type === "required" ? 1 : 3);
  });

  it("has results that name the item of its call instead of the call", () => {
    const action = { type: "exec", command: ["ls"], env: {} };
    const input = [
      { role: "user", content: "hi" },
      { type: "local_shell_call", id: "lsh_1", call_id: "c1", action, status: "completed" },
      { type: "local_shell_call_output", id: "lsh_1", output: "a.txt" },
    ];
    expect(parse({ input }).turn.messages.slice(1)).toEqual([
      { role: "assistant", content: [{ type: "call", id: "c1", name: "local_shell", input: '{"command":["ls"]}' }] },
      { role: "tool", results: [{ callId: "c1", content: [{ type: "text", text: "a.txt" }], isError: false }] },
    ]);
  });

  it.each([
    ["local_shell", { command: "ls | head" }, { type: "exec", command: ["bash", "-lc", "ls | head"], env: {} }],
    ["computer_use_preview", { action: { type: "wait" } }, { type: "wait" }],
    ["computer_use_preview", { type: "click", x: "left" }, undefined],
    ["shell", "ls", undefined],
  ] as const)("%s with %j becomes the action that is meant, if there is one", (type, input, action) => {
    expect(readPublishedCall(type, JSON.stringify(input))).toEqual(action && expect.objectContaining({ action }));
  });
});

describe("the choice of a tool", () => {
  const tools = [ls, patch, namespace("n", { ...ls, name: "rm" })];
  const all = ["ls", "patch", "n__rm"];
  const allowed = (mode: string, ...listed: object[]) => ({ type: "allowed_tools", mode, tools: listed });

  it.each<[unknown, object, string[]]>([
    [undefined, { type: "auto" }, all],
    [null, { type: "auto" }, all],
    ["none", { type: "none" }, all],
    ["required", { type: "required" }, all],
    [{ type: "function", name: "ls" }, { type: "tool", name: "ls" }, all],
    [{ type: "custom", name: "patch" }, { type: "tool", name: "patch" }, all],
    [{ type: "function", name: "rm", namespace: "n" }, { type: "tool", name: "n__rm" }, all],
    [allowed("required", { type: "custom", name: "patch" }, { type: "web_search" }), { type: "required" }, ["patch"]],
    [allowed("auto", { type: "function", name: "ls" }), { type: "auto" }, ["ls"]],
    [allowed("required"), { type: "required" }, []],
  ])("may be %j", (tool_choice, toolChoice, offered) => {
    const { turn } = parse({ tools, tool_choice });
    expect(turn.toolChoice).toEqual(toolChoice);
    expect(turn.tools.map(({ name }) => name)).toEqual(offered);
    expect(turn.warnings).toEqual([]);
  });

  it("of a hosted tool is left to the model, with a warning", () => {
    const { toolChoice, warnings } = parse({ tools, tool_choice: { type: "file_search" } }).turn;
    expect(toolChoice).toEqual({ type: "auto" });
    expect(warnings).toEqual([expect.stringContaining("file_search in tool_choice")]);
  });

  it("is not weakened if no tool is offered", () => {
    expect(parse({ tool_choice: "required" }).turn.toolChoice).toEqual({ type: "required" });
  });
});

it("refuses a schema that is deeper than the wire allows, with its path", () => {
  let parameters = {};
  for (let level = 1; level < 100; level++) parameters = { a: parameters };
  const deep = { ...ls, parameters };
  expect(() => parse({ tools: [deep] })).toThrow("tools[0].parameters: must not go deeper than 99");
  expect(() => parse({ tools: [ls, namespace("n", deep)] })).toThrow(
    "tools[1].tools[0].parameters: must not go deeper than 99",
  );
});

// Code that tried all numbers for each name would take minutes here and exceed the test's time limit.
it("numbers any number of names that would collide upstream", () => {
  const tools = Array.from({ length: 30_000 }, (_, index) => ({ ...ls, name: String.fromCharCode(0x4e00 + index) }));
  expect(new Set(namesOf({ tools: [namespace("n", ...tools)] })).size).toBe(tools.length);
});
