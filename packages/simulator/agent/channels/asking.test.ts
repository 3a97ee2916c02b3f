import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ExecServerMessage, McpArgs } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../testing/manual-clock.js";
import {
  AgentClient,
  type ExecResultInit,
  mcpText,
  startRun,
  updateOf,
  userRun,
} from "../../../../testing/simulator/agent-client.js";
import { startStand } from "../../../../testing/simulator/stand.js";
import { startedEach } from "../../../../testing/started.js";

const clock = startedEach(() => new ManualClock());
const stand = startedEach(() => startStand({}, clock));

function definition(toolName: string, schema: JsonValue = { type: "object" }) {
  const inputSchema = fromJson(ValueSchema, schema);
  return { name: `own-${toolName}`, toolName, providerIdentifier: "own", description: toolName, inputSchema };
}

const mcpTools = { mcpTools: [definition("a"), definition("b")] };

function argsOf(exec: ExecServerMessage): McpArgs {
  if (exec.message.case !== "mcpArgs") throw new Error("not a call");
  return exec.message.value;
}

function started(client: AgentClient): string[] {
  return client.messages.flatMap((message) => updateOf(message, "toolCallStarted")?.callId ?? []);
}

function completed(client: AgentClient): string[] {
  return client.messages.flatMap((message) => updateOf(message, "toolCallCompleted")?.callId ?? []);
}

describe("a call to a client tool", () => {
  it("carries the tool's own names and its arguments as values", async () => {
    const client = startRun(
      stand,
      '[[call a {"n":3,"s":"x","list":[1.5,null,{"k":true}]}]] [[say over]]',
      { mcpTools },
      { silent: ["exec"] },
    );
    const exec = await client.untilExec("mcpArgs");
    const args = argsOf(exec);
    expect(args).toMatchObject({ name: "own-a", toolName: "a", providerIdentifier: "own" });
    const values = Object.entries(args.args).map(([key, value]) => [key, toJson(ValueSchema, value)]);
    expect(Object.fromEntries(values)).toEqual({ n: 3, s: "x", list: [1.5, null, { k: true }] });
    expect(args.args.n?.kind).toEqual({ case: "numberValue", value: 3 });
    expect(started(client)).toEqual([args.toolCallId]);
    client.answerExec(exec.id, mcpText("sunny"));
    await client.ended;
    expect(client.text).toBe("Result of a: sunny\nover");
    expect(client.outline.filter((name) => /tool|step|checkpoint|turn/i.test(name))).toEqual([
      "stepStarted",
      "conversationCheckpointUpdate",
      "toolCallStarted",
      "conversationCheckpointUpdate",
      "toolCallCompleted",
      "conversationCheckpointUpdate",
      "stepCompleted",
      "stepStarted",
      "stepCompleted",
      "turnEnded",
      "conversationCheckpointUpdate",
      "conversationCheckpointUpdate",
      "conversationCheckpointUpdate",
    ]);
    expect(client.checkpoints.map(({ pendingToolCalls }) => pendingToolCalls.length)).toEqual([0, 1, 0, 0, 0, 0]);
  });

  const results: [string, ExecResultInit, string][] = [
    ["an error of the tool", mcpText("no luck", true), "error: no luck"],
    ["a failure", mcp({ case: "error", value: { error: "boom" } }), "error: boom"],
    ["a refusal", mcp({ case: "rejected", value: { reason: "not now" } }), "rejected: not now"],
    [
      "a missing permission",
      mcp({ case: "permissionDenied", value: { error: "locked" } }),
      "permission denied: locked",
    ],
    [
      "a tool that is not there",
      mcp({ case: "toolNotFound", value: { name: "a", availableTools: ["b", "c"] } }),
      "tool not found: a; there are: b, c",
    ],
    [
      "a server that is not there",
      mcp({ case: "serverNotFound", value: { name: "own", knownServers: ["other"] } }),
      "server not found: own; there are: other",
    ],
    [
      "an image",
      mcp({
        case: "success",
        value: { content: [{ content: { case: "image", value: { data: new Uint8Array(5), mimeType: "image/png" } } }] },
      }),
      "[image/png, 5 bytes]",
    ],
  ];
  function mcp(result: NonNullable<Extract<ExecResultInit, { case: "mcpResult" }>["value"]["result"]>): ExecResultInit {
    return { case: "mcpResult", value: { result } };
  }
  it.each(results)("may end in %s", async (_name, message, shown) => {
    const client = startRun(stand, "[[call a {}]]", { mcpTools }, { silent: ["exec"] });
    client.answerExec((await client.untilExec("mcpArgs")).id, message);
    await client.ended;
    expect(client.text).toBe(`Result of a: ${shown}\n`);
    expect(stand.world.stats).toMatchObject({ execsAsked: 2, execsAnswered: 2, execsThrown: 0, execsAbandoned: 0 });
  });

  it("may end in a throw", async () => {
    const client = startRun(stand, "[[call a {}]]", { mcpTools }, { silent: ["exec"] });
    client.throwExec((await client.untilExec("mcpArgs")).id, "the tool broke");
    await client.ended;
    expect(client.text).toBe("Result of a: thrown: the tool broke\n");
    expect(stand.world.stats).toMatchObject({ execsAsked: 2, execsAnswered: 1, execsThrown: 1 });
  });

  it("counts as thrown when it is closed without a result", async () => {
    const client = startRun(stand, "[[call a {}]]", { mcpTools }, { silent: ["exec"] });
    client.closeExec((await client.untilExec("mcpArgs")).id);
    await client.ended;
    expect(client.text).toBe("Result of a: thrown: closed without a result\n");
    expect(stand.world.stats).toMatchObject({ execsAsked: 2, execsAnswered: 1, execsThrown: 1, execsAbandoned: 0 });
  });

  it("stays open until its stream is closed", async () => {
    const client = startRun(stand, "[[call a {}]]", { mcpTools }, { silent: ["exec"] });
    const { id } = await client.untilExec("mcpArgs");
    client.send({ case: "execClientMessage", value: { id, message: mcpText("x") } });
    await expect.poll(() => stand.world.stats.execsAnswered).toBe(2);
    expect(completed(client)).toEqual([]);
    client.closeExec(id);
    await client.ended;
    expect(completed(client)).toHaveLength(1);
  });

  it("has no time limit while the client sends heartbeats", async () => {
    const client = startRun(stand, "[[call a {}]]", { mcpTools }, { silent: ["exec"] });
    const { id } = await client.untilExec("mcpArgs");
    for (let beats = 1; beats <= 10; beats += 1) {
      clock.advance(50_000);
      client.send({ case: "clientHeartbeat", value: {} });
      await expect.poll(() => stand.world.stats.heartbeatsIn).toBe(beats);
    }
    client.answerExec(id, mcpText("late"));
    await client.ended;
    expect(client.text).toBe("Result of a: late\n");
  });

  it("times out when the client falls silent", async () => {
    const client = startRun(stand, "[[call a {}]]", { mcpTools }, { silent: ["exec"] });
    await client.untilExec("mcpArgs");
    clock.advance(60_001);
    expect((await client.ended).frame?.error?.code).toBe("deadline_exceeded");
    expect(stand.world.stats.execsAbandoned).toBe(1);
  });

  it("counts as abandoned when the client leaves", async () => {
    const client = startRun(stand, "[[call a {}]] [[call b {}]]", { mcpTools }, { silent: ["exec"] });
    client.answerExec((await client.untilExec("mcpArgs", 1)).id, mcpText("b"));
    await client.untilUpdate("toolCallCompleted");
    client.reset();
    await expect.poll(() => stand.world.stats.runsOpen).toBe(0);
    expect(stand.world.stats).toMatchObject({ execsAsked: 3, execsAnswered: 2, execsAbandoned: 1, cancelled: 1 });
  });

  it("ends the stream on a result of another kind", async () => {
    const client = startRun(stand, "[[call a {}]]", { mcpTools }, { silent: ["exec"] });
    client.answerExec((await client.untilExec("mcpArgs")).id, { case: "shellResult", value: {} });
    expect((await client.ended).frame?.error?.code).toBe("invalid_argument");
  });

  it("streams its arguments first after [[partial]], each time with the whole text so far", async () => {
    const client = startRun(stand, '[[partial]] [[call a {"text":"hello there"}]]', { mcpTools });
    await client.ended;
    const partial = client.messages.flatMap((message) => updateOf(message, "partialToolCall") ?? []);
    const texts = partial.map(({ argsTextDelta }) => argsTextDelta);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.at(-1)).toBe('{"text":"hello there"}');
    for (const [index, text] of texts.entries()) expect(text.startsWith(texts[index - 1] ?? "")).toBe(true);
    expect(new Set(partial.map(({ callId }) => callId))).toEqual(new Set(started(client)));
    expect(client.outline.indexOf("partialToolCall")).toBeLessThan(client.outline.indexOf("toolCallStarted"));
  });

  it.each([
    ["the run request", { mcpTools }, {}],
    ["the request context", {}, { tools: mcpTools.mcpTools }],
  ])("finds its tool in %s", async (_name, init, context) => {
    const client = startRun(stand, "[[call a {}]]", init, { context });
    await client.ended;
    expect(client.text).toBe("Result of a: done a\n");
  });

  it("finds its tool in the context that came with the message", async () => {
    const client = new AgentClient(stand);
    const value = { userMessage: { text: "[[call b {}]]" }, requestContext: { tools: mcpTools.mcpTools } };
    client.send(userRun("", { action: { action: { case: "userMessageAction", value } } }));
    await client.ended;
    expect(client.text).toBe("Result of b: done b\n");
  });

  it.each([
    [{ "x-cursor-agent-allowed-tools": "shell_tool_call, mcp_tool_call" }, "Result of a: done a\n"],
    [{ "x-cursor-agent-allowed-tools": "shell_tool_call" }, "The tool a was not offered to me.\n"],
    [{ "x-cursor-agent-allowed-tools": "" }, "The tool a was not offered to me.\n"],
    [{ "x-cursor-agent-exclude-tools": "mcp_tool_call" }, "The tool a was not offered to me.\n"],
    [{ "x-cursor-agent-exclude-tools": "shell_tool_call,ls_tool_call" }, "Result of a: done a\n"],
  ])("obeys the gating headers %j", async (headers: Record<string, string>, text) => {
    const client = startRun(stand, "[[call a {}]]", { mcpTools }, { headers });
    await client.ended;
    expect(client.text).toBe(text);
  });
});

describe("parallel calls", () => {
  it("are sent back to back, and complete in the order of their results", async () => {
    const client = startRun(
      stand,
      '[[call a {"n":1}]] [[call b {}]] [[call a {"n":2}]] then [[call b {"last":true}]]',
      { mcpTools },
      { silent: ["exec"] },
    );
    const execs = [
      await client.untilExec("mcpArgs"),
      await client.untilExec("mcpArgs", 1),
      await client.untilExec("mcpArgs", 2),
    ];
    const ids = execs.map((exec) => argsOf(exec).toolCallId);
    expect(started(client)).toEqual(ids);
    expect(client.checkpoints.at(-1)?.pendingToolCalls).toHaveLength(3);
    for (const index of [2, 0, 1]) {
      const exec = execs[index];
      if (exec === undefined) throw new Error("missing");
      client.answerExec(exec.id, mcpText(`r${index}`));
      await expect.poll(() => completed(client).at(-1)).toBe(ids[index]);
    }
    const last = await client.untilExec("mcpArgs", 3);
    expect(client.checkpoints.map(({ pendingToolCalls }) => pendingToolCalls.length)).toEqual([0, 3, 2, 1, 0, 1]);
    client.answerExec(last.id, mcpText("end"));
    await client.ended;
    expect(client.text).toBe("Result of a: r2\nResult of a: r0\nResult of b: r1\nResult of b: end\n");
  });

  it("stay in one group after a gap", async () => {
    const client = startRun(stand, "[[call a {}]] [[gap 120]] [[call b {}]]", { mcpTools }, { silent: ["exec"] });
    const first = await client.untilExec("mcpArgs");
    client.answerExec(first.id, mcpText("1"));
    await client.untilUpdate("toolCallCompleted");
    expect(started(client)).toHaveLength(1);
    clock.advance(119);
    expect(started(client)).toHaveLength(1);
    clock.advance(1);
    const second = await client.untilExec("mcpArgs", 1);
    client.answerExec(second.id, mcpText("2"));
    await client.ended;
    expect(client.text).toBe("Result of a: 1\nResult of b: 2\n");
    expect(client.outline.filter((name) => name === "stepStarted")).toHaveLength(2);
  });

  it("can get their checkpoint late, or not at all if their results come first", async () => {
    const client = startRun(
      stand,
      "[[delay-checkpoint 600]] [[call a {}]] [[call b {}]] then [[call a {}]]",
      { mcpTools },
      { silent: ["exec"] },
    );
    const pending = () => client.checkpoints.map(({ pendingToolCalls }) => pendingToolCalls.length);
    const first = await client.untilExec("mcpArgs");
    const second = await client.untilExec("mcpArgs", 1);
    expect(pending()).toEqual([0]);
    expect(stand.world.stats.checkpointsStaged).toBe(0);
    clock.advance(600);
    await expect.poll(pending).toEqual([0, 2]);
    client.answerExec(first.id, mcpText("1"));
    client.answerExec(second.id, mcpText("2"));
    const third = await client.untilExec("mcpArgs", 2);
    client.answerExec(third.id, mcpText("3"));
    await client.ended;
    expect(pending()).toEqual([0, 2, 1, 0, 0, 0, 0, 0]);
    expect(stand.world.stats.checkpointsStaged).toBe(2);
  });
});
