import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AcpClient, type Update } from "../../../../testing/simulator/acp-client.js";
import { setUpCli } from "../../../../testing/simulator/cli-process.js";
import { startRecordingServer } from "../../../../testing/simulator/recording-mcp-server.js";
import type { Scenario } from "../scenario.js";
import { approvalKey, slugOf } from "../workspace.js";

const stand = await setUpCli();
const allow = { outcome: { outcome: "selected", optionId: "allow-once" } };
const options = [
  { optionId: "allow-once", name: "Allow once", kind: "allow_once" },
  { optionId: "allow-always", name: "Allow always", kind: "allow_always" },
  { optionId: "reject-once", name: "Reject", kind: "reject_once" },
];

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

  it("is called once the client allows it", async () => {
    const { acp, workspace } = connect(open);
    const { url, requests } = await startRecordingServer(async (_name, args) => JSON.stringify(args));
    const session = await acp.newSession(workspace, [{ type: "http", name: "gw", url, headers: [] }]);
    expect(requests.map(({ method }) => method)).toEqual(["initialize", "notifications/initialized", "tools/list"]);

    const asked: unknown[] = [];
    acp.answer = (method, params) => {
      asked.push([method, params]);
      return allow;
    };
    await acp.prompt(session, '[[call echo {"say":"hi"}]]');
    expect(acp.said(session)).toBe('Result of echo: {"say":"hi"}\n');
    const [call, running, done] = toolUpdates(acp.updates(session));
    const toolCallId = call?.toolCallId;
    const shown = { toolCallId, title: "gw: echo", kind: "other", status: "pending", rawInput: { say: "hi" } };
    expect(call).toEqual({ sessionUpdate: "tool_call", ...shown });
    expect(asked).toEqual([["session/request_permission", { sessionId: session, toolCall: shown, options }]]);
    expect(running).toEqual({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
    expect(done).toMatchObject({ toolCallId, status: "completed", rawOutput: { success: true } });
  });

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

  it("needs permission once if it is granted for good, and never under --force", async () => {
    const { url } = await startRecordingServer(async () => "done");
    const servers = [{ type: "http", name: "gw", url, headers: [] }];
    const questions = async (args: readonly string[]) => {
      const { acp, workspace } = connect(open, args);
      const session = await acp.newSession(workspace, servers);
      acp.answer = () => ({ outcome: { outcome: "selected", optionId: "allow-always" } });
      await acp.prompt(session, "[[call echo {}]] then [[call echo {}]]");
      return acp.received.filter(({ method }) => method === "session/request_permission").length;
    };
    expect(await questions(["acp"])).toBe(1);
    expect(await questions(["--force", "acp"])).toBe(0);
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

describe("other requests to the client", () => {
  it("include Cursor's extensions, which block the turn until they are answered", async () => {
    const { acp, workspace } = connect({ acpExtensions: ["cursor/update_todos", "cursor/task"] });
    const session = await acp.newSession(workspace);
    acp.answer = (method) => (method === "cursor/task" ? undefined : {});
    const answer = acp.prompt(session, "[[say done]]");
    const { id } = await acp.until(({ method }) => method === "cursor/task");
    expect(acp.said(session)).toBe("");
    acp.send({ id, result: {} });
    await answer;
    expect(acp.said(session)).toBe("done");
  });
});
