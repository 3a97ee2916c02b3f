import { ExecClientMessageSchema, ExecServerMessageSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { type AgentClient, type ExecResultInit, startRun } from "../../../testing/simulator/agent-client.js";
import { startStand } from "../../../testing/simulator/stand.js";
import { startedEach } from "../../../testing/started.js";
import { execKinds, findExecKind } from "./exec-kinds.js";

const stand = startedEach(() => startStand());

/** The numbers of arguments and results by kind, where they differ (docs/protocol/wire.md, execs). */
const numbers: [string, number, number][] = [
  ["shell", 2, 2],
  ["read", 7, 7],
  ["shell_stream", 14, 14],
  ["pi_read", 45, 46],
  ["pi_ls", 51, 52],
  ["mini_swe_agent_bash", 52, 55],
  ["conversation_search", 53, 53],
  ["git_diff_request", 44, 44],
  ["adopt", 56, 56],
];

describe("the table of exec kinds", () => {
  it("has every case that the schema has", () => {
    const cases = ExecServerMessageSchema.oneofs.find(({ name }) => name === "message")?.fields ?? [];
    expect(execKinds).toHaveLength(cases.length);
    expect(cases.length).toBeGreaterThan(38);
  });

  it.each(numbers)("pairs %s with its result", (name, argsNumber, resultNumber) => {
    const kind = findExecKind(name);
    const args = ExecServerMessageSchema.fields.find(({ localName }) => localName === kind?.argsCase);
    const result = ExecClientMessageSchema.fields.find(({ localName }) => localName === kind?.resultCase);
    expect([args?.number, result?.number]).toEqual([argsNumber, resultNumber]);
  });
});

const rejected = { case: "rejected" as const, value: { path: "/x", reason: "not here" } };
const content = { case: "content" as const, value: "text" };

/** One of each form in which clients answer. */
const answers: [directive: string, result: ExecResultInit, shown: string][] = [
  ["read {}", { case: "readResult", value: { result: rejected } }, "rejected: not here"],
  [
    "read {}",
    { case: "readResult", value: { result: { case: "success", value: { output: content } } } },
    "success: text",
  ],
  ["grep {}", { case: "grepResult", value: { result: { case: "error", value: { error: "e" } } } }, "error: e"],
  [
    "mcp_allowlist_precheck {}",
    { case: "mcpAllowlistPrecheckResult", value: { allowlisted: true } },
    "allowlisted: true",
  ],
  ["shell_allowlist_precheck {}", { case: "shellAllowlistPrecheckResult", value: {} }, "allowlisted: false"],
  [
    "read_mcp_resource_exec {}",
    { case: "readMcpResourceExecResult", value: { result: { case: "notFound", value: {} } } },
    "not_found",
  ],
  [
    "record_screen {}",
    { case: "recordScreenResult", value: { result: { case: "failure", value: { error: "x" } } } },
    "failure: x",
  ],
  ["execute_hook {}", { case: "executeHookResult", value: {} }, "answered"],
];

describe("a built-in tool", () => {
  it.each(answers)("asked by [[native %s]] reports its result", async (directive, result, shown) => {
    const client = startRun(stand, `[[native ${directive}]]`, {}, { silent: ["exec"] });
    const name = directive.split(" ")[0] ?? "";
    const exec = await client.untilExec(findExecKind(name)?.argsCase as Parameters<AgentClient["untilExec"]>[0]);
    client.answerExec(exec.id, result);
    expect((await client.ended).frame).toEqual({});
    expect(client.text).toBe(`native ${name}: ${shown}\n`);
  });

  it("is asked regardless of the headers, with the given arguments", async () => {
    const client = startRun(
      stand,
      '[[native shell {"command":"pwd","timeout":5}]]',
      {},
      { silent: ["exec"], headers: { "x-cursor-agent-allowed-tools": "" } },
    );
    const { id, message } = await client.untilExec("shellArgs");
    expect(message.value).toMatchObject({ command: "pwd", timeout: 5, toolCallId: expect.stringMatching(/^call_/) });
    client.throwExec(id, "never");
    await client.ended;
    expect(client.text).toBe("native shell: thrown: never\n");
  });

  it("may answer in pieces", async () => {
    const client = startRun(stand, "[[native shell_stream {}]]", {}, { silent: ["exec"] });
    const { id } = await client.untilExec("shellStreamArgs");
    const piece = (event: NonNullable<Extract<ExecResultInit, { case: "shellStream" }>["value"]["event"]>) =>
      client.send({ case: "execClientMessage", value: { id, message: { case: "shellStream", value: { event } } } });
    piece({ case: "start", value: {} });
    piece({ case: "stdout", value: { data: "one " } });
    piece({ case: "stderr", value: { data: "two" } });
    piece({ case: "exit", value: { code: 3 } });
    client.closeExec(id);
    await client.ended;
    expect(client.text).toBe("native shell_stream: exit 3: one two\n");
    expect(stand.world.stats).toMatchObject({ execsAsked: 2, execsAnswered: 2 });
  });

  it.each(execKinds.map(({ name }) => name).filter((name) => name !== "request_context"))(
    "%s can be refused by a throw",
    async (name) => {
      const client = startRun(stand, `[[native ${name} {}]]`, {}, { silent: ["exec"] });
      const exec = await client.until(({ message }) =>
        message.case === "execServerMessage" && message.value.message.case === findExecKind(name)?.argsCase
          ? message.value
          : undefined,
      );
      client.throwExec(exec.id, "unknown here");
      expect((await client.ended).frame).toEqual({});
      expect(client.text).toBe(`native ${name}: thrown: unknown here\n`);
    },
  );
});

describe("other questions", () => {
  it("of a kind that no client knows wait for a throw", async () => {
    const client = startRun(stand, "[[exec 250]] [[say on]]");
    await client.ended;
    expect(client.text).toBe("exec 250: thrown: not here\non");
    expect(stand.world.stats).toMatchObject({ execsAsked: 2, execsThrown: 1 });
  });

  it("about the state of MCP servers list their tools", async () => {
    const client = startRun(stand, "[[state]]", {}, { silent: ["exec"] });
    const { id } = await client.untilExec("mcpStateExecArgs");
    const servers = [{ serverIdentifier: "own", tools: [{ toolName: "a" }, { toolName: "b" }] }];
    client.answerExec(id, { case: "mcpStateExecResult", value: { result: { case: "success", value: { servers } } } });
    await client.ended;
    expect(client.text).toBe("state: success: own with a, b\n");
  });

  it("come from a drifting server without ending a run", async () => {
    stand.world.options.drift = true;
    const client = startRun(stand, "[[native read {}]] [[say on]]");
    expect((await client.ended).frame).toEqual({});
    expect(client.text).toBe("native read: thrown: not here\non");
    expect(client.outline).toEqual(expect.arrayContaining(["unknown", "unknownUpdate"]));
    expect(stand.world.stats).toMatchObject({ execsAsked: 3, execsThrown: 2, execsAnswered: 1 });
  });
});
