import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Machine, setUpCli } from "../../../../testing/simulator/cli-process.js";
import { startRecordingServer, stdioServer } from "../../../../testing/simulator/recording-mcp-server.js";
import { approvalKey, slugOf } from "../workspace.js";

const stand = await setUpCli();
const stream = ["-p", "--trust", "--output-format", "stream-json"];

function configure({ workspace }: Machine, mcpServers: object, permissions: object = {}): void {
  mkdirSync(join(workspace, ".cursor"), { recursive: true });
  writeFileSync(join(workspace, ".cursor", "mcp.json"), JSON.stringify({ mcpServers }));
  writeFileSync(join(workspace, ".cursor", "cli.json"), JSON.stringify({ permissions }));
}

interface ToolEvent {
  subtype: string;
  call_id: string;
  tool_call: { mcpToolCall: { args: object; description?: string; result?: object } };
}
const toolEvents = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line.startsWith('{"type":"tool_call"'))
    .map((line) => JSON.parse(line) as ToolEvent);

describe("an MCP server of the workspace", () => {
  it("is loaded once it is enabled, which writes its approval key", async () => {
    const machine = stand.machine();
    const server = await startRecordingServer(async () => "");
    const config = { url: server.url };
    configure(machine, { gw: config });
    expect((await machine.run(["mcp", "list"])).stdout).toBe("gw: not loaded (needs approval)\n");
    expect((await machine.run(["mcp", "list-tools", "gw"])).code).toBe(1);
    expect(await machine.run(["mcp", "enable", "gw"])).toMatchObject({
      code: 0,
      stdout: "✓ Enabled and approved MCP server: gw\n",
    });
    const file = join(machine.data, "projects", slugOf(machine.workspace), "mcp-approvals.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual([approvalKey("gw", machine.workspace, config)]);
    expect((await machine.run(["mcp", "list"])).stdout).toBe("gw: ready\n");
    expect((await machine.run(["mcp", "list-tools", "gw"])).stdout).toBe("Tools for gw (2):\n- echo\n- slow\n");
  });

  it("is called as by Cursor, and the call is shown with its result", async () => {
    const machine = stand.machine();
    const server = await startRecordingServer(async (name, args) => `${name} ${JSON.stringify(args)}`);
    const config = { url: server.url, headers: { authorization: "Bearer t" } };
    configure(machine, { gw: config }, { allow: ["Mcp(gw:echo)"] });
    await machine.run(["mcp", "enable", "gw"]);
    const { stdout } = await machine.run(stream, { stdin: '[[call echo {"say":"hi"}]]' });

    expect(server.requests.map(({ method }) => method)).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/list",
      "tools/call",
    ]);
    expect(server.requests[0]?.params).toMatchObject({
      protocolVersion: "2025-11-25",
      clientInfo: { name: "Cursor", version: "1.0.0" },
    });
    expect(server.requests[3]?.params).toEqual({ name: "echo", arguments: { say: "hi" } });
    expect(server.headers.map(({ authorization }) => authorization)).toEqual(Array(4).fill("Bearer t"));

    const [started, completed] = toolEvents(stdout);
    const id = started?.call_id ?? "";
    expect(id).toContain("\n");
    const args = {
      name: "gw-echo",
      args: { say: "hi" },
      toolCallId: id,
      providerIdentifier: "gw",
      toolName: "echo",
      smartModeApprovalOnly: false,
      skipApproval: false,
      serverIdentifier: "gw",
    };
    expect(started?.tool_call.mcpToolCall).toEqual({ args, description: "Says it again" });
    expect(completed?.tool_call.mcpToolCall).toEqual({
      args,
      result: {
        success: { content: [{ text: { text: 'echo {"say":"hi"}' } }], isError: false, systemReminders: [] },
      },
    });
    expect(stdout).toContain("Result of echo: echo");
  });

  it("may answer parallel calls in another order", async () => {
    const machine = stand.machine();
    let release = () => {};
    const echoed = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await startRecordingServer(async (name) => {
      if (name === "slow") await echoed;
      else release();
      return name;
    });
    configure(machine, { gw: { url: server.url } }, { allow: ["Mcp(gw:*)"] });
    const { stdout } = await machine.run([...stream, "--approve-mcps"], { stdin: "[[call slow {}]][[call echo {}]]" });
    const [slow, echo, ...completed] = toolEvents(stdout);
    expect(completed.map(({ call_id }) => call_id)).toEqual([echo?.call_id, slow?.call_id]);
    expect(new Set([slow, echo, ...completed].map((event) => event && Reflect.get(event, "model_call_id"))).size).toBe(
      1,
    );
  });

  it("is not called where no rule allows it, nor in ask mode", async () => {
    const machine = stand.machine();
    const server = await startRecordingServer(async () => "never");
    configure(machine, { gw: { url: server.url } });
    const stdin = "[[call echo {}]]";
    const scenario = { mcpApprovals: false };
    const rejected = { result: { rejected: { reason: "User rejected MCP: gw-echo" } } };
    for (const args of [stream, [...stream, "--force", "--mode", "ask"]]) {
      const { stdout } = await machine.run(args, { stdin, scenario });
      expect(toolEvents(stdout)[1]?.tool_call.mcpToolCall).toMatchObject(rejected);
    }
    expect(server.requests.some(({ method }) => method === "tools/call")).toBe(false);
  });

  it("fails the call for the model when it times out", async () => {
    const machine = stand.machine();
    const server = await startRecordingServer(() => new Promise(() => {}));
    configure(machine, { gw: { url: server.url } });
    const scenario = { mcpApprovals: false, mcpTimeoutMs: 50 };
    const { stdout } = await machine.run([...stream, "--force"], { stdin: "[[call slow {}]]", scenario });
    expect(JSON.stringify(toolEvents(stdout)[1]?.tool_call.mcpToolCall.result)).toMatch(/timed out.*"isError":true/i);
    expect(stdout).toContain('"subtype":"success"');
  });

  it("can be a program", async () => {
    const machine = stand.machine();
    const config = { command: process.execPath, args: ["-e", stdioServer], env: { GREETING: "hello" } };
    configure(machine, { own: config });
    await machine.run(["mcp", "enable", "own"]);
    const { stdout } = await machine.run(["-p", "--force"], { stdin: '[[call echo {"say":"hi"}]]' });
    expect(stdout).toBe('Result of echo: hello {"say":"hi"}\n\n');
  });
});
