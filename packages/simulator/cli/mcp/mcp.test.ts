import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Machine, setUpCli } from "../../../../testing/simulator/cli-process.js";
import { startRecordingServer } from "../../../../testing/simulator/recording-mcp-server.js";

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
});
