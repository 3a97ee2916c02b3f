import { create, fromJson, toBinary } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  type ConversationStep,
  ConversationStepSchema,
  ConversationTurnStructureSchema,
  McpToolsSchema,
  UserMessageSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { afterEach, describe, expect, it } from "vitest";
import {
  type AgentClient,
  type ClientHabits,
  type RunInit,
  startRun,
} from "../../../testing/simulator/agent-client.js";
import { otherClients } from "../../../testing/simulator/other-clients.js";
import { type Stand, startStand } from "../../../testing/simulator/stand.js";
import { blobId, blobKey } from "../server/blob-id.js";

let stand: Stand;
afterEach(() => stand.close());

const inputSchema = fromJson(ValueSchema, { type: "object" });
const mcpTools = create(McpToolsSchema, {
  mcpTools: [{ name: "own-look", toolName: "look", providerIdentifier: "own", description: "", inputSchema }],
});

async function run(text: string, init: RunInit, habits: ClientHabits): Promise<AgentClient> {
  const client = startRun(stand, text, { ...init, mcpTools }, habits);
  expect((await client.ended).frame).toEqual({});
  return client;
}

describe.each(otherClients)("a client that $name", ({ habits: habitsOf, first, strictCode }) => {
  it("gets its text, a tool round trip and a second turn by default", async () => {
    stand = await startStand({ strict: false });
    const habits = habitsOf();
    const text = "[[call look {}]] [[say over]]";
    const one = await run(text, first(text), habits);
    expect(one.text).toBe("Result of look: done look\nover");
    const again = { ...first("again"), conversationState: one.lastState };
    const two = await run("again", again, { ...habits, blobs: one.blobs });
    expect(two.text).toContain("again");
    expect(stand.world.stats).toMatchObject({ runs: 2, execsThrown: 0, execsAbandoned: 0 });
  });

  it("is refused, or times out, in strict mode", async () => {
    const isWaitedFor = /^(?:deadline_exceeded|4)$/.test(strictCode);
    stand = await startStand({ strict: true, ...(isWaitedFor ? { patienceMs: 1 } : {}) });
    const client = startRun(stand, "hello", first("hello"), habitsOf());
    expect((await client.ended).frame?.error?.code).toBe(strictCode);
    expect(client.text).toBe("");
  });
});

/** A call of `look` with its result, as a step. */
function answeredStep(toolCallId: string, found: string) {
  const content = [{ content: { case: "text" as const, value: { text: found } } }];
  const args = { toolCallId, toolName: "look", name: "own-look", providerIdentifier: "own" };
  const mcpToolCall = { args, result: { result: { case: "success" as const, value: { content } } } };
  const value = { tool: { case: "mcpToolCall" as const, value: mcpToolCall } };
  return create(ConversationStepSchema, { message: { case: "toolCall", value } });
}

function spokenStep(text: string) {
  return create(ConversationStepSchema, { message: { case: "assistantMessage", value: { text } } });
}

/** A conversation to resume after these steps, from a client that keeps results only in the steps of a turn. */
function withSteps(text: string, steps: readonly ConversationStep[]) {
  const blobs = new Map<string, Uint8Array>();
  const keep = (bytes: Uint8Array) => {
    blobs.set(blobKey(blobId(bytes)), bytes);
    return blobId(bytes);
  };
  const turn = create(ConversationTurnStructureSchema, {
    turn: {
      case: "agentConversationTurn",
      value: {
        userMessage: keep(toBinary(UserMessageSchema, create(UserMessageSchema, { text }))),
        steps: steps.map((step) => keep(toBinary(ConversationStepSchema, step))),
      },
    },
  });
  const conversationState = {
    rootPromptMessagesJson: [keep(Buffer.from(JSON.stringify({ role: "user", content: text })))],
    turns: [keep(toBinary(ConversationTurnStructureSchema, turn))],
  };
  const action = { action: { case: "resumeAction" as const, value: {} } };
  return { blobs, init: { conversationState, action } satisfies RunInit };
}

describe.each([
  [false, "counts", 0, "Result of look: a curlew\nover"],
  [true, "does not count", 1, "Result of look: done look\nover"],
])("with strict: %s", (strict, counts, asked, text) => {
  it(`a result only in the steps of a resumed turn ${counts}`, async () => {
    stand = await startStand({ strict });
    const { blobs, init } = withSteps("[[call look {}]] [[say over]]", [answeredStep("call_1", "a curlew")]);
    const client = await run("", init, { blobs });
    expect(client.text).toBe(text);
    expect(client.outline.filter((name) => name === "toolCallStarted")).toHaveLength(asked);
  });
});

describe("the results of parallel calls in the steps of a resumed turn", () => {
  const parallel = [answeredStep("call_1", "a curlew"), answeredStep("call_2", "a plover")];

  it("are all repeated", async () => {
    stand = await startStand({ strict: false });
    const { blobs, init } = withSteps("[[call look {}]] [[call look {}]] [[say over]]", parallel);
    expect((await run("", init, { blobs })).text).toBe("Result of look: a curlew\nResult of look: a plover\nover");
  });

  it("are apart from those that the model has spoken about", async () => {
    stand = await startStand({ strict: false });
    const text = "[[call look {}]] then [[call look {}]] [[call look {}]] [[say over]]";
    const steps = [answeredStep("call_0", "a lark"), spokenStep("Result of look: a lark"), ...parallel];
    const { blobs, init } = withSteps(text, steps);
    expect((await run("", init, { blobs })).text).toBe("Result of look: a curlew\nResult of look: a plover\nover");
  });
});

describe("the default reading", () => {
  it("counts blobs whose ids are not their hashes, and streams that are left open", async () => {
    stand = await startStand({ strict: false });
    const [open, , keys] = otherClients;
    await run("[[call look {}]]", {}, open?.habits() ?? {});
    await run("hello", keys?.first("hello") ?? {}, keys?.habits() ?? {});
    expect(stand.world.stats).toMatchObject({ execsUnclosed: 2, blobsUnhashed: 1 });
  });

  it("still requests the context if the given one does not describe the machine", async () => {
    stand = await startStand({ strict: false });
    const value = { userMessage: { text: "hello" }, requestContext: { cloudRule: "Be brief." } };
    await run("hello", { action: { action: { case: "userMessageAction", value } } }, {});
    expect(stand.world.stats.execsAsked).toBe(1);
  });

  it("accepts a result of another kind", async () => {
    stand = await startStand({ strict: false });
    const client = startRun(stand, '[[native shell_stream {"command":"ls"}]] [[say over]]', {}, { silent: ["exec"] });
    const { id } = await client.untilExec("shellStreamArgs");
    const rejected = { case: "rejected" as const, value: { command: "ls", reason: "no shell" } };
    client.answerExec(id, { case: "shellResult", value: { result: rejected } });
    await client.ended;
    expect(client.text).toContain("rejected: no shell");
  });
});
