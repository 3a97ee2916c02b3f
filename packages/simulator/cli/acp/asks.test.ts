import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AcpClient, type Update } from "../../../../testing/simulator/acp-client.js";
import { setUpCli } from "../../../../testing/simulator/cli-process.js";
import { startRecordingServer } from "../../../../testing/simulator/recording-mcp-server.js";
import type { Scenario } from "../scenario.js";
import { approvalKey, slugOf } from "../workspace.js";

const stand = await setUpCli();

function connect(scenario: Partial<Scenario> = {}, args: readonly string[] = ["acp"]) {
  stand.cli.setScenario(scenario);
  const machine = stand.machine();
  const approve = (name: string, config: object) => {
    const folder = join(machine.data, "projects", slugOf(machine.workspace));
    mkdirSync(folder, { recursive: true });
    const key = approvalKey(name, machine.workspace, config);
    writeFileSync(join(folder, "mcp-approvals.json"), JSON.stringify([key]));
  };
  return { acp: new AcpClient(machine, args), workspace: machine.workspace, approve };
}

const toolUpdates = (updates: Update[]) => updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"));

describe("an MCP server of session/new", () => {
  const open = { mcpApprovals: false };

  it.each([
    ["the client rejects it", { outcome: { outcome: "selected", optionId: "reject-once" } }],
    ["the question is cancelled", { outcome: { outcome: "cancelled" } }],
    ["the answer is flat", { outcome: "selected", optionId: "allow-once" }],
  ])("is not called where %s", async (_, answer) => {
    const { acp, workspace } = connect(open);
    const { url, requests } = await startRecordingServer(async () => "never");
    const session = await acp.newSession(workspace, [{ type: "http", name: "gw", url, headers: [] }]);
    acp.answer = () => answer;
    await acp.prompt(session, "[[call echo {}]]");
    expect(acp.said(session)).toBe("Result of echo: User rejected MCP: gw-echo\n");
    expect(requests.some(({ method }) => method === "tools/call")).toBe(false);
    expect(toolUpdates(acp.updates(session)).at(-1)).toMatchObject({ status: "failed" });
  });

  it("is left out without its approval key, which covers its headers", async () => {
    const { url, headers } = await startRecordingServer(async () => "done");
    const server = { type: "http", name: "gw", url, headers: [{ name: "Authorization", value: "Bearer t" }] };
    const { acp, workspace, approve } = connect({}, ["--approve-mcps", "--force", "acp"]);
    approve("gw", { url });
    const closed = await acp.newSession(workspace, [server]);
    await acp.prompt(closed, "[[call echo {}]]");
    expect(acp.said(closed)).toBe("The tool echo was not offered to me.\n");
    expect(headers).toEqual([]);

    approve("gw", { url, headers: { Authorization: "Bearer t" } });
    const opened = await acp.newSession(workspace, [server]);
    await acp.prompt(opened, "[[call echo {}]]");
    expect(acp.said(opened)).toBe("Result of echo: done\n");
    expect(headers.every(({ authorization }) => authorization === "Bearer t")).toBe(true);
  });
});
