import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { Settings } from "../packages/cli/config/settings.js";
import { remoteMcpServer, serveMcp } from "../packages/gateway/core/tools/mcp/remote-server.cases.js";
import { postJson } from "../testing/clients/post-json.js";
import { chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { serveHttp } from "../testing/network/serve-http.js";
import { isRunning } from "../testing/programs/is-running.js";

let system: WholeSystem;
afterEach(() => system.close());

const program = fileURLToPath(new URL("../testing/programs/mcp-server.js", import.meta.url));
const server = (fields: object = {}, ...args: string[]) => ({
  command: process.execPath,
  args: [program, ...args],
  timeoutMs: 60_000,
  ...fields,
});
const bridge = (servers: Record<string, ReturnType<typeof server>>): Partial<Settings> => ({
  mcp: { servers },
});
const ask = (content: string, extras = {}) => chat(system.url, [user(content)], extras);
const get = async (path: string): Promise<unknown> => (await fetch(`${system.url}${path}`)).json();

describe("MCP tools", () => {
  it.each([true, false])(
    "are run inside the run that called them; the client only sees text (stream: %s)",
    async (stream) => {
      system = await startWholeSystem({}, bridge({ test: server() }));
      const first = '[[say Well.]] [[call mcp__test__echo {"text":"one"}]] [[call mcp__test__echo {"text":"two"}]]';
      const reply = await ask(`${first} then [[call mcp__test__pid {}]] then [[say Done.]]`, { stream });
      expect(reply).toMatchObject({ finish: "stop", calls: [] });
      expect(reply.text).toMatch(/^Well\..*echo: one.*echo: two.*Done\.$/s);
      expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAbandoned: 0 });
    },
  );

  it("leave a conversation that continues warm, also when the tools have changed", async () => {
    system = await startWholeSystem({}, bridge({ test: server() }));
    const messages = [
      user("[[call mcp__test__grown {}]] then [[say no]] [[call mcp__test__grow {}]] then [[say First.]]"),
    ];
    const first = await chat(system.url, messages);
    expect(first.text).toContain("grown");
    messages.push(first.message, user("[[call mcp__test__grown {}]] then [[say Second.]]"));
    const second = await chat(system.url, messages);
    expect(second).toMatchObject({ continuity: "warm", finish: "stop" });
    expect(second.text).toContain("new here");
  });

  it("run at once beside calls of the client; the reply ends with only the client's", async () => {
    system = await startWholeSystem({}, bridge({ test: server() }));
    const tools = [tool("weather")];
    const messages = [user('[[call mcp__test__echo {"text":"mine"}]] [[call weather {}]] then [[say Both.]]')];
    const first = await chat(system.url, messages, { tools });
    expect(first).toMatchObject({ finish: "tool_calls", calls: [{ function: { name: "weather" } }] });
    messages.push(first.message, result(first.calls[0], "rain"));
    const second = await chat(system.url, messages, { tools });
    expect(second).toMatchObject({ finish: "stop", continuity: "warm" });
    for (const said of ["echo: mine", "rain", "Both."]) expect(second.text).toContain(said);
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAbandoned: 0 });
  });

  it("do not run again when the parked run is lost", async () => {
    system = await startWholeSystem({}, { ...bridge({ test: server() }), leaseMs: 1_000 });
    const tools = [tool("weather")];
    const file = join(system.home, "appended");
    const messages = [
      user(`[[call mcp__test__append ${JSON.stringify({ file })}]] [[call weather {}]] then [[say Both.]]`),
    ];
    const first = await chat(system.url, messages, { tools });
    await expect.poll(() => system.simulator.stats()).toMatchObject({ runs: 1, runsOpen: 0 });
    messages.push(first.message, result(first.calls[0], "rain"));
    const second = await chat(system.url, messages, { tools });
    expect(second).toMatchObject({ finish: "stop", continuity: "resumed" });
    for (const said of ["appended", "rain", "Both."]) expect(second.text).toContain(said);
    expect(readFileSync(file, "utf8")).toBe("once\n");
  });

  it("are cancelled when the client disconnects", async () => {
    system = await startWholeSystem({}, bridge({ test: server() }));
    const leaving = new AbortController();
    const body = { model: "auto", stream: true, messages: [user("[[say a]] [[call mcp__test__hang {}]]")] };
    const response = await postJson(`${system.url}/v1/chat/completions`, body, {}, leaving.signal);
    await response.body?.getReader().read();
    await expect.poll(() => system.simulator.stats().execsAsked).toBe(2);
    leaving.abort();
    await expect.poll(() => system.simulator.stats()).toMatchObject({ runsOpen: 0, execsAbandoned: 1 });
  });

  it("are for the owner alone", async () => {
    system = await startWholeSystem({}, { ...bridge({ test: server() }), passThrough: true, apiKey: undefined });
    const reply = await ask("[[call mcp__test__echo {}]] then [[say ok]]", { key: "crsr_caller" });
    expect(reply.text).not.toContain("echo: nothing");
    const headers = { authorization: "Bearer crsr_caller" };
    const listed = await (await fetch(`${system.url}/v1/tools`, { headers })).json();
    expect(listed).toEqual({ object: "list", data: [], mcp: { servers: 0, tools: 0 } });
  });

  it("give way to a client's tool with the same name", async () => {
    system = await startWholeSystem({}, bridge({ test: server() }));
    const reply = await ask("[[call mcp__test__echo {}]]", { tools: [tool("mcp__test__echo")] });
    expect(reply.calls).toMatchObject([{ function: { name: "mcp__test__echo" } }]);
  });

  it("are not called under tool_choice none", async () => {
    system = await startWholeSystem({}, bridge({ test: server() }));
    const reply = await ask("[[call mcp__test__echo {}]] then [[say ok]]", { tool_choice: "none", tools: [tool("x")] });
    expect(reply.text).toContain("tool not found");
  });

  it("count in the loop guard", async () => {
    system = await startWholeSystem({}, bridge({ test: server() }));
    const calls = Array(4).fill("[[call mcp__test__refuse {}]]").join(" then ");
    await expect(ask(`${calls} then [[say never]]`)).rejects.toMatchObject({ code: "tool_loop" });
  });
});

describe("an MCP server that a request names", () => {
  const here = async () => `${await serveHttp(serveMcp(() => remoteMcpServer("where", "other")))}/mcp`;
  const start = async (url: string) => {
    system = await startWholeSystem({}, { mcp: { servers: { far: { url } } } });
  };
  const calls = "[[call mcp__far__where {}]] [[call mcp__far__other {}]] then [[say Done.]]";
  const responses = async (tool: object) => {
    const tools = [{ type: "mcp", server_label: "my server", require_approval: "never", ...tool }];
    const reply = await postJson(`${system.url}/v1/responses`, { model: "auto", input: calls, tools });
    return { text: await reply.text(), warnings: reply.headers.get("x-curlew-warnings") };
  };
  const messages = async (fields: object) => {
    const body = { model: "auto", max_tokens: 500, messages: [user(calls)], ...fields };
    const reply = await postJson(`${system.url}/v1/messages`, body);
    return { text: await reply.text(), warnings: reply.headers.get("x-curlew-warnings") };
  };
  const served = expect.stringContaining("Calls of the MCP server my server run in the gateway");

  it("runs here if it is one of the owner's, with the tools that the request allows", async () => {
    const url = await here();
    await start(url);
    const all = await responses({ server_url: url });
    expect(all).toEqual({
      text: expect.stringMatching(/where: over there.*other: over there.*Done\./s),
      warnings: served,
    });
    const some = await responses({ server_url: url, allowed_tools: ["other"] });
    expect(some.text).toMatch(/where was not offered.*other: over there/s);
    const mcp_servers = [{ type: "url", name: "my server", url }];
    const tools = [{ type: "mcp_toolset", mcp_server_name: "my server", configs: { other: { enabled: false } } }];
    const most = await messages({ mcp_servers, tools });
    expect(most).toEqual({
      text: expect.stringMatching(/where: over there.*other was not offered/s),
      warnings: served,
    });
    expect(system.simulator.stats()).toMatchObject({ runs: 3, execsAbandoned: 0 });
  });

  it("has no tools for a request that wants to approve their calls", async () => {
    const url = await here();
    await start(url);
    const { text, warnings } = await responses({ server_url: url, require_approval: "always" });
    expect(text).not.toContain("over there");
    expect(warnings).toContain("The tools of the MCP server my server are left out: a call cannot be approved here;");
    expect((await ask(calls)).text).toContain("over there");
  });

  it("is never connected to if it is another", async () => {
    let asked = 0;
    const elsewhere = await serveHttp((_, response) => {
      asked++;
      response.writeHead(404).end();
    });
    const url = await here();
    await start(url);
    const places = [elsewhere, `${url}/more`, `${url}?x`, url.replace("//", "//me@"), "file:///etc/passwd", "", "a:b"];
    for (const server_url of [...places, undefined]) {
      const { warnings } = await responses({ server_url });
      expect(warnings).toMatch(/MCP server my server are left out: .*not among.*mcp\.servers/);
    }
    const { warnings } = await messages({ mcp_servers: [{ type: "url", name: "my server", url: elsewhere }] });
    expect(warnings).toMatch(/MCP server my server are left out: .*not among.*mcp\.servers/);
    expect(asked).toBe(0);
  });

  it("is left out for requests with a credential of their own, and on a gateway without servers", async () => {
    const url = await here();
    const passThrough = { passThrough: true, apiKey: undefined };
    system = await startWholeSystem({}, { mcp: { servers: { far: { url } } }, ...passThrough });
    const tools = [{ type: "mcp", server_label: "x", server_url: url, require_approval: "never" }];
    const body = { model: "auto", input: calls, tools };
    const own = await postJson(`${system.url}/v1/responses`, body, { authorization: "Bearer crsr_caller" });
    expect(await own.text()).not.toContain("over there");
    expect(own.headers.get("x-curlew-warnings")).toContain("The tools of the MCP server x are left out");
    await system.close();
    system = await startWholeSystem();
    const none = await postJson(`${system.url}/v1/responses`, body);
    expect(none.headers.get("x-curlew-warnings")).toContain("The tools of the MCP server x are left out");
  });
});

describe("an MCP server", () => {
  it("that crashes is an error for the model, and is restarted", async () => {
    system = await startWholeSystem({}, bridge({ test: server() }));
    const reply = await ask(
      '[[call mcp__test__crash {}]] then [[call mcp__test__echo {"text":"back"}]] then [[say Done.]]',
    );
    expect(reply.text).toMatch(/could not run crash.*echo: back.*Done\.$/s);
  });

  it("that hangs times out, and the conversation continues", async () => {
    system = await startWholeSystem({}, bridge({ test: server({ timeoutMs: 1_500 }) }));
    const reply = await ask("[[call mcp__test__pid {}]] then [[call mcp__test__hang {}]] then [[say Done.]]");
    expect(reply.text).toMatch(/did not finish hang within 1500 ms.*Done\.$/s);
  });

  it.each([
    [300_000, /x{100}.*Done\.$/s],
    [20_000_000, /could not run flood.*Done\.$/s],
  ])("that floods its output with %i characters is truncated or stopped", async (characters, expected) => {
    system = await startWholeSystem({}, bridge({ test: server() }));
    const reply = await ask(`[[call mcp__test__flood {"characters":${characters}}]] then [[say Done.]]`);
    expect(reply.text).toMatch(expected);
    expect(system.simulator.stats().bytesIn).toBeLessThan(120_000);
  });

  it("that does not start delays no others, and the reply warns of it", async () => {
    system = await startWholeSystem({}, bridge({ bad: server({}, "broken"), test: server() }));
    const response = await postJson(`${system.url}/v1/chat/completions`, {
      model: "auto",
      messages: [user('[[call mcp__test__echo {"text":"here"}]] then [[say ok]]')],
    });
    expect(await response.text()).toContain("echo: here");
    expect(response.headers.get("x-curlew-warnings")).toContain("MCP server bad");
  });

  it("gets the harmless part of our environment plus its entry, and offers only the tools on its lists", async () => {
    process.env.CURLEW_TEST_SECRET = "do not tell";
    // biome-ignore lint/suspicious/noTemplateCurlyInString: syntax of variables in settings
    const env = { OWN: "given", FROM: "${env:CURLEW_TEST_SECRET}" };
    system = await startWholeSystem({}, bridge({ test: server({ env, allow: ["var*", "echo"], deny: ["echo"] }) }));
    const variable = (name: string) => `[[call mcp__test__variable ${JSON.stringify({ name })}]]`;
    const reply = await ask(
      `${variable("CURLEW_TEST_SECRET")} then ${variable("OWN")} then ${variable("FROM")} then [[say ok]]`,
    );
    expect(reply.text).toMatch(/unset.*given.*do not tell/s);
    expect(await get("/v1/tools")).toMatchObject({ data: [{ id: "mcp__test__variable" }] });
    delete process.env.CURLEW_TEST_SECRET;
  });

  it("is started by the first request and ends with the gateway", async () => {
    system = await startWholeSystem({}, bridge({ test: server() }));
    expect(await get("/health")).toMatchObject({ mcp: { enabled: true, servers: 0, tools: 0 } });
    const reply = await ask("[[call mcp__test__pid {}]] then [[say ok]]");
    expect(await get("/health")).toMatchObject({ mcp: { enabled: true, servers: 1, tools: 12 } });
    const pid = Number(/\d+/.exec(reply.text.replace(/mcp__test__pid/g, ""))?.[0]);
    expect(isRunning(pid)).toBe(true);
    await system.close();
    await expect.poll(() => isRunning(pid)).toBe(false);
    system = await startWholeSystem();
  });
});
