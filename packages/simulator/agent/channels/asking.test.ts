import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../testing/manual-clock.js";
import {
  type AgentClient,
  type ExecResultInit,
  mcpText,
  startRun,
  updateOf,
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

function started(client: AgentClient): string[] {
  return client.messages.flatMap((message) => updateOf(message, "toolCallStarted")?.callId ?? []);
}

function completed(client: AgentClient): string[] {
  return client.messages.flatMap((message) => updateOf(message, "toolCallCompleted")?.callId ?? []);
}

/** What a run of the conversation says, or the code with which it ends. */
async function outcomeOf(conversationId: string): Promise<string> {
  const client = startRun(stand, "[[say Done.]]", { conversationId });
  const { frame } = await client.ended;
  return frame?.error?.code ?? client.text;
}

describe("a call to a client tool", () => {
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
      mcp({ case: "serverNotFound", value: { name: "own", availableServers: ["other"] } }),
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

  it("leaves an id that is refused from then on when it is unanswered at the end of its run", async () => {
    stand.world.options.refuseReusedIds = true;
    const left = startRun(stand, "[[call a {}]]", { mcpTools }, { silent: ["exec"] });
    await left.untilExec("mcpArgs");
    left.reset();
    await expect.poll(() => stand.world.stats.runsOpen).toBe(0);
    expect(await outcomeOf("agent-1")).toBe("resource_exhausted");
    expect(await outcomeOf("agent-2")).toBe("Done.");
  });

  it("leaves such an id when another run of its conversation begins before the answer", async () => {
    stand.world.options.refuseReusedIds = true;
    const open = startRun(stand, "[[call a {}]] then [[wait 60000]]", { mcpTools }, { silent: ["exec"] });
    const { id } = await open.untilExec("mcpArgs");
    expect(await outcomeOf("agent-1")).toBe("resource_exhausted");
    open.answerExec(id, mcpText("late"));
    await open.untilUpdate("toolCallCompleted");
    expect(await outcomeOf("agent-1")).toBe("resource_exhausted");
    open.reset();
  });

  it("leaves no such id once it is answered, even while its run is open", async () => {
    stand.world.options.refuseReusedIds = true;
    const open = startRun(stand, "[[call a {}]] then [[wait 60000]]", { mcpTools });
    await open.untilUpdate("toolCallCompleted");
    expect(await outcomeOf("agent-1")).toBe("Done.");
    open.reset();
  });

  it("follows the number of calls in its batch with callCounts, and only then", async () => {
    const words = "[[call a {}]] [[call b {}]] then [[exec 60]] then [[call b {}]] then [[say Done.]]";
    const plain = startRun(stand, words, { mcpTools });
    await plain.ended;
    expect(plain.outline).not.toContain("toolRequestsListed");
    stand.world.options.callCounts = true;
    const live = startRun(stand, words, { mcpTools });
    await live.ended;
    expect(live.messages.flatMap((message) => updateOf(message, "toolRequestsListed")?.callCount ?? [])).toEqual([
      2, 1,
    ]);
    expect(live.outline.indexOf("toolRequestsListed")).toBeLessThan(live.outline.indexOf("toolCallStarted"));
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
