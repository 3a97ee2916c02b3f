import { describe, expect, it } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { type ChatMessage, chat, result, tool, user } from "../testing/clients/tool-client.js";
import { openWholeSystem, startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const system = startedEach(() => startWholeSystem());

const bash = tool("bash", { command: { type: "string" } });
const read = tool("read", { filePath: { type: "string" } });

describe("Cursor's built-in tools", () => {
  it("become calls of the client's equivalent tools, with typed results", async () => {
    const messages = [
      user('[[native shell {"command":"ls -l"}]] then [[native read {"path":"/a.txt"}]] then [[say ok]]'),
    ];
    const first = await chat(system.url, messages, { tools: [bash, read] });
    expect(first.calls).toMatchObject([{ function: { name: "bash", arguments: '{"command":"ls -l"}' } }]);
    messages.push(first.message, result(first.calls[0], "total 0"));
    const second = await chat(system.url, messages, { tools: [bash, read] });
    expect(second.calls).toMatchObject([{ function: { name: "read", arguments: '{"filePath":"/a.txt"}' } }]);
    messages.push(second.message, result(second.calls[0], "the content"));
    expect(second.text).toContain("native shell: success: total 0");
    const third = await chat(system.url, messages, { tools: [bash, read] });
    expect(third.text).toContain("the content");
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsThrown: 0 });
  });

  it("become commands of a client that has only a shell, and answers of their own type", async () => {
    const messages = [
      user(
        `[[native read {"path":"it's; touch x"}]] then [[native ls {"path":"src"}]] then [[native grep {"pattern":"a+"}]]`,
      ),
    ];
    const outputs = ["read it", "a.ts\nlib/", "./a.ts:7:aa"];
    const commands: unknown[] = [];
    for (const output of outputs) {
      const reply = await chat(system.url, messages, { tools: [bash] });
      commands.push(JSON.parse(reply.calls[0]?.function.arguments ?? "").command);
      messages.push(reply.message, result(reply.calls[0], output));
    }
    const { text } = await chat(system.url, messages, { tools: [bash] });
    expect(commands).toEqual([
      `cat 'it'"'"'s; touch x'`,
      "ls -1Ap src",
      "grep -rIHEn --exclude-dir=.git --exclude-dir=node_modules -e 'a+' .",
    ]);
    expect(text).toMatch(/native grep: success.*a\.ts/s);
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsThrown: 0 });
  });

  it("are refused without an equivalent, with a reason that names the client's tools", async () => {
    const reply = await chat(system.url, [user('[[native shell {"command":"ls"}]] [[say went on]]')], {
      tools: [read],
    });
    expect(reply).toMatchObject({ calls: [], finish: "stop" });
    expect(reply.text).toMatch(/native shell: rejected: .*read/);
    expect(reply.text).toContain("went on");
  });

  it("are refused when the mapping is turned off", async () => {
    const system = await openWholeSystem({}, { disabledQuirks: ["native-tools"] });
    const reply = await chat(system.url, [user('[[native shell {"command":"ls"}]] [[say went on]]')], {
      tools: [bash],
    });
    expect(reply).toMatchObject({ calls: [], finish: "stop" });
  });
});

describe("a model in a loop", () => {
  const again = Array.from({ length: 6 }, () => '[[call bash {"command":"npm test"}]]').join(" then ");

  it("is stopped at the third identical repeat, together with the run", async () => {
    const messages = [user(`${again} then [[say never]]`)];
    for (let round = 0; round < 3; round++) {
      const reply = await chat(system.url, messages, { tools: [bash] });
      messages.push(reply.message, result(reply.calls[0], "1 failed"));
    }
    const fourth = await chat(system.url, messages, { tools: [bash] });
    messages.push(fourth.message, result(fourth.calls[0], "1 failed"));
    await expect(chat(system.url, messages, { tools: [bash] })).rejects.toMatchObject({
      status: 400,
      code: "tool_loop",
      message: expect.stringContaining("TOOL_LOOP_MAX_REPEAT"),
    });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  });

  it.each([
    ["two alternating calls", " then "],
    ["a repeated parallel pair", " "],
  ])("is stopped for %s", async (_, between) => {
    const pair = ['[[call bash {"command":"npm test"}]]', '[[call read {"filePath":"/a"}]]'].join(between);
    const messages = [user(`${Array.from({ length: 8 }, () => pair).join(" then ")} then [[say never]]`)];
    const playAll = async () => {
      for (let reply = await chat(system.url, messages, { tools: [bash, read] }); reply.calls.length > 0; ) {
        messages.push(reply.message, ...reply.calls.map((call) => result(call, "as before")));
        reply = await chat(system.url, messages, { tools: [bash, read] });
      }
    };
    await expect(playAll()).rejects.toMatchObject({ code: "tool_loop" });
    expect(messages.filter(({ role }) => role === "tool")).toHaveLength(8);
  });

  it("is not detected when the results differ", async () => {
    const messages = [user(`${again} then [[say passed]]`)];
    let reply = await chat(system.url, messages, { tools: [bash] });
    for (let round = 0; reply.calls.length > 0; round++) {
      messages.push(reply.message, result(reply.calls[0], `${5 - round} failed`));
      reply = await chat(system.url, messages, { tools: [bash] });
    }
    expect(reply.text).toContain("passed");
  });
});

describe("tool_choice", () => {
  it("none: a call that the model still makes does not reach the client", async () => {
    const reply = await chat(system.url, [user('[[call bash {"command":"x"}]] then [[say no tools]]')], {
      tools: [bash],
      tool_choice: "none",
    });
    expect(reply).toMatchObject({ calls: [], finish: "stop" });
    expect(reply.text).toContain("no tools");
  });

  it("a named tool: only that one can be called", async () => {
    const choice = { tools: [bash, read], tool_choice: { type: "function", function: { name: "read" } } };
    const reply = await chat(
      system.url,
      [user('[[call bash {"command":"x"}]] then [[call read {"filePath":"/a"}]]')],
      choice,
    );
    expect(reply.calls).toMatchObject([{ function: { name: "read" } }]);
  });

  it("a tool that is not offered is a client error", async () => {
    const choice = { tools: [bash], tool_choice: { type: "function", function: { name: "nope" } } };
    await expect(chat(system.url, [user("hi")], choice)).rejects.toMatchObject({
      status: 400,
      code: "invalid_request",
    });
  });

  it("required: a model that only talks is reminded once, then the request fails", async () => {
    await expect(
      chat(system.url, [user("[[ignore 2]] [[say I would rather talk.]]")], {
        tools: [bash],
        tool_choice: "required",
        stream: false,
      }),
    ).rejects.toMatchObject({ status: 502, code: "tool_call_missing" });
    expect(system.simulator.stats().runs).toBe(2);
  });

  it.each([
    ["required", "bash"],
    [{ type: "function", function: { name: "read" } }, "read"],
  ])("%j: a reminded model calls", async (tool_choice, name) => {
    const reply = await chat(system.url, [user("[[say I would rather talk.]]")], { tools: [bash, read], tool_choice });
    expect(reply).toMatchObject({ text: "I would rather talk.", calls: [{ function: { name } }] });
    expect(system.simulator.stats().runs).toBe(2);
  });

  it.each([
    ["required", "bash", { command: "sample" }],
    [{ type: "function", function: { name: "read" } }, "read", { filePath: "sample" }],
  ])("%j: an obedient model calls at once, and continues with the result", async (choice, name, input) => {
    const messages = [user("Look after the birds.")];
    const extras = { tools: [bash, read], tool_choice: choice };
    const first = await chat(system.url, messages, extras);
    expect(first.calls).toMatchObject([{ function: { name } }]);
    expect(JSON.parse(first.calls[0]?.function.arguments ?? "")).toEqual(input);
    messages.push(first.message, result(first.calls[0], "three herons"));
    expect((await chat(system.url, messages, extras)).text).toContain("three herons");
    expect(system.simulator.stats().runs).toBe(1);
  });
});

describe("a required tool call", () => {
  const hosted = { type: "web_search" };
  it.each<[string, string, object]>([
    ["chat", "chat/completions", { messages: [user("hi")], tools: [], tool_choice: "required" }],
    ["chat, no field", "chat/completions", { messages: [user("hi")], tool_choice: "required" }],
    ["responses", "responses", { input: "hi", tools: [], tool_choice: "required" }],
    ["responses, a tool of OpenAI's", "responses", { input: "hi", tools: [hosted], tool_choice: "required" }],
    ["messages", "messages", { max_tokens: 99, messages: [user("hi")], tool_choice: { type: "any" } }],
    [
      "messages, by name",
      "messages",
      { max_tokens: 9, messages: [user("x")], tool_choice: { type: "tool", name: "x" } },
    ],
  ])("is a client error if no tool is offered: %s", async (_, route, body) => {
    const response = await postJson(`${system.url}/v1/${route}`, { model: "auto", ...body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { type: "invalid_request_error", message: expect.stringContaining("tool_choice") },
    });
    expect(system.simulator.stats().runs).toBe(0);
  });
});

describe("system text alone", () => {
  it.each<[string, string, object]>([
    ["chat", "chat/completions", { messages: [{ role: "developer", content: "[[say hello]]" }] }],
    ["responses", "responses", { input: [{ role: "system", content: "[[say hello]]" }] }],
  ])("is answered: %s", async (_, route, body) => {
    const response = await postJson(`${system.url}/v1/${route}`, { model: "auto", ...body });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("hello");
  });
});

describe("parallel_tool_calls: false", () => {
  it("gives the client one call of a group at a time, on one run", async () => {
    const messages = [
      user(
        '[[call bash {"command":"a"}]] [[call bash {"command":"b"}]] [[call read {"filePath":"c"}]] then [[say ok]]',
      ),
    ];
    const seen: string[] = [];
    let reply = await chat(system.url, messages, { tools: [bash, read], parallel_tool_calls: false });
    while (reply.finish === "tool_calls") {
      expect(reply.calls).toHaveLength(1);
      seen.push(reply.calls[0]?.function.arguments ?? "");
      messages.push(reply.message, result(reply.calls[0], `result ${seen.length}`));
      reply = await chat(system.url, messages, { tools: [bash, read], parallel_tool_calls: false });
    }
    expect(seen).toEqual(['{"command":"a"}', '{"command":"b"}', '{"filePath":"c"}']);
    expect(reply.text).toContain("result 3");
    expect(system.simulator.stats().runs).toBe(1);
  });
});

describe("a model with bad habits", () => {
  it("that writes its call as text makes a call", async () => {
    const messages = [user('[[say <tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>]]')];
    const first = await chat(system.url, messages, { tools: [bash] });
    expect(first).toMatchObject({ text: "", finish: "tool_calls", calls: [{ function: { name: "bash" } }] });
    expect(JSON.parse(first.calls[0]?.function.arguments ?? "")).toEqual({ command: "ls" });
    const second = await chat(system.url, [...messages, first.message, result(first.calls[0], "a b c")], {
      tools: [bash],
    });
    expect(second.text).toContain("a b c");
  });

  it("that thinks in tags has its thinking removed", async () => {
    const reply = await chat(system.url, [user("[[say <think>secret</think>Answer.]]")]);
    expect(reply.text).toBe("Answer.");
  });
});

describe("usage over a parked run", () => {
  it("reports the context of each reply, and Cursor's total at the end", async () => {
    const messages = [user('[[usage 5000 300 4000 0 0]] [[say hm]] [[call bash {"command":"x"}]] then [[say done]]')];
    const first = await chat(system.url, messages, { tools: [bash] });
    messages.push(first.message, result(first.calls[0], "ok"));
    const second = await chat(system.url, messages, { tools: [bash] });
    expect(first.usage?.prompt_tokens).toBeGreaterThan(0);
    expect(second.usage?.prompt_tokens).toBeGreaterThan(first.usage?.prompt_tokens ?? 0);
    expect(second.usage?.prompt_tokens).toBeLessThan(5_000);
    expect(first.usage).not.toHaveProperty("curlew_turn");
    expect(second.usage).toMatchObject({ curlew_turn: { input_tokens: 5_000, cache_read_tokens: 4_000 } });
    expect((first.usage?.completion_tokens ?? 0) + (second.usage?.completion_tokens ?? 0)).toBe(300);
  });

  it("is marked when estimated", async () => {
    const ask = (content: string) =>
      postJson(`${system.url}/v1/chat/completions`, { model: "auto", messages: [user(content)], tools: [bash] });
    expect((await ask("[[call bash {}]]")).headers.get("x-curlew-usage")).toBe("estimated");
    expect((await ask("[[say measured]]")).headers.get("x-curlew-usage")).toBeNull();
  });
});

describe("a title request", () => {
  const title: ChatMessage[] = [
    { role: "system", content: "You are a title generator. Output only a short title for the conversation." },
    user("Please rename the helper functions"),
  ];

  it("is answered by Cursor's naming call, without a turn or tokens", async () => {
    const named = await chat(system.url, title);
    expect(named).toMatchObject({ finish: "stop", usage: { prompt_tokens: 0, completion_tokens: 0 } });
    expect(named.text).toBe("Please rename the helper functions");
    expect(system.simulator.stats().runs).toBe(0);
    await chat(system.url, [user("[[say an ordinary turn]]")]);
    expect(system.simulator.stats().runs).toBe(1);
  });

  const [prompt = user(""), words = user("")] = title;
  it.each<[string, ChatMessage[]]>([
    ["OpenCode", [prompt, user("Generate a title for this conversation:\n"), words]],
    [
      "Continue",
      [user(`Given the following... please reply with a title for the chat that is short.\n\n${words.content}`)],
    ],
  ])("names the user's words, without those of %s", async (_, messages) => {
    expect((await chat(system.url, messages)).text).toBe("Please rename the helper functions");
    expect(system.simulator.stats().runs).toBe(0);
  });

  it("is answered in the format that Codex asks for", async () => {
    const asked = `Generate a concise, single-line task title of at most 20 characters.\n\nUser prompt:\n${words.content}`;
    const properties = { title: { type: "string", minLength: 1, maxLength: 20 } };
    const schema = { type: "object", properties, required: ["title"], additionalProperties: false };
    const response = await postJson(`${system.url}/v1/responses`, {
      model: "auto",
      input: [
        { role: "developer", content: "You are a coding agent running in the Codex CLI. ".repeat(400) },
        { role: "user", content: "<environment_context>\n</environment_context>" },
        { role: "user", content: asked },
      ],
      text: { format: { type: "json_schema", strict: true, schema, name: "codex_output_schema" } },
    });
    expect(await response.json()).toMatchObject({
      output: [{ content: [{ type: "output_text", text: '{"title":"Please rename the"}' }] }],
    });
    expect(system.simulator.stats().runs).toBe(0);
  });

  it("becomes a turn if the naming call fails, or the request asks for more", async () => {
    const failing = await chat(system.url, [prompt, user("sim-error-9-internal")]);
    expect(failing.text).not.toBe("");
    expect(system.simulator.requests(9).map(({ path }) => path)).toContainEqual(expect.stringMatching(/\/NameAgent$/));
    expect(system.simulator.stats().runs).toBe(1);
    const work: ChatMessage = { role: "system", content: "Write a short title and a summary for this conversation." };
    await chat(system.url, [work, user("[[say both]]")]);
    expect(system.simulator.stats().runs).toBe(2);
  });

  it("is an ordinary turn when the quirk is disabled", async () => {
    const system = await openWholeSystem({}, { disabledQuirks: ["titles"] });
    await chat(system.url, title);
    expect(system.simulator.stats().runs).toBe(1);
  });
});

describe("/health", () => {
  it("counts parked runs, and replies by continuity", async () => {
    const messages = [user('[[call bash {"command":"x"}]] then [[say done]]')];
    const first = await chat(system.url, messages, { tools: [bash] });
    const health = async () => {
      const body = (await (await fetch(`${system.url}/health`)).json()) as { conversations: unknown };
      return body.conversations;
    };
    expect(await health()).toMatchObject({ parkedRuns: 1, runsLetGo: 0, continuity: { "cold:new": 1 } });
    await chat(system.url, [...messages, first.message, result(first.calls[0], "ok")], { tools: [bash] });
    expect(await health()).toMatchObject({ parkedRuns: 0, runsLetGo: 0, continuity: { "cold:new": 1, warm: 1 } });
  });
});
