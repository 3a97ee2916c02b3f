import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type ConversationStateStructure,
  ConversationStateStructureSchema,
  ConversationStepSchema,
  ConversationTurnStructureSchema,
  UserMessageSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import {
  type AgentClient,
  type ClientHabits,
  mcpText,
  type RunInit,
  runToEnd,
  startRun,
} from "../../../../testing/simulator/agent-client.js";
import { startStand } from "../../../../testing/simulator/stand.js";
import { startedEach } from "../../../../testing/started.js";
import { decodeEntry } from "../../model/transcript.js";
import { blobId, blobKey } from "../../server/blob-id.js";

const stand = startedEach(() => startStand());

type Blobs = Map<string, Uint8Array>;

function run(text: string, init: RunInit = {}, habits: ClientHabits = {}): Promise<AgentClient> {
  return runToEnd(stand, text, init, habits);
}

function rootsOf(client: AgentClient, state = client.lastState) {
  return state.rootPromptMessagesJson.map((id) => decodeEntry(client.blobs.get(blobKey(id)) ?? Buffer.from("?")));
}

function put(blobs: Blobs, data: Uint8Array): Uint8Array {
  const id = blobId(data);
  blobs.set(blobKey(id), data);
  return id;
}

function putJson(blobs: Blobs, value: unknown): Uint8Array {
  return put(blobs, Buffer.from(JSON.stringify(value)));
}

const resume: RunInit = { action: { action: { case: "resumeAction", value: {} } } };
const mcpTools = { mcpTools: [{ toolName: "a", name: "own-a", providerIdentifier: "own" }] };

describe("a checkpoint", () => {
  it("holds the messages as the model reads them, and the turns for the client to show", async () => {
    const rule = { content: "Be brief.", type: { type: { case: "global" as const, value: {} } } };
    const offer = { content: "Only on request.", fullPath: "/x" };
    const client = await run("[[think hm]] [[say hello]]", {}, { context: { rules: [rule, offer] } });
    const [system, context, ...messages] = rootsOf(client);
    expect(system).toMatchObject({ role: "system", text: expect.stringContaining("Cursor") });
    expect(context).toMatchObject({ role: "context", text: expect.stringContaining("Be brief.") });
    expect(JSON.stringify(context)).not.toContain("Only on request.");
    expect(messages).toEqual([
      { role: "user", text: "[[think hm]] [[say hello]]", images: [] },
      {
        role: "assistant",
        id: "1",
        parts: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "hello" },
        ],
      },
    ]);
    const [turnId] = client.lastState.turns;
    const { turn } = fromBinary(
      ConversationTurnStructureSchema,
      client.blobs.get(blobKey(turnId ?? Buffer.of())) ?? Buffer.of(),
    );
    if (turn.case !== "agentConversationTurn") throw new Error("The turn is of another kind.");
    expect(turn.value.requestId).toBe(client.requestId);
    const userMessage = client.blobs.get(blobKey(turn.value.userMessage)) ?? Buffer.of();
    expect(fromBinary(UserMessageSchema, userMessage).text).toBe("[[think hm]] [[say hello]]");
    const steps = turn.value.steps.map((id) =>
      fromBinary(ConversationStepSchema, client.blobs.get(blobKey(id)) ?? Buffer.of()),
    );
    expect(steps.map(({ message }) => message.case)).toEqual(["thinkingMessage", "assistantMessage"]);
  });

  it("names no blob that the client has not stored", async () => {
    const client = await run('[[call a {"x":1}]] [[say done]]', { mcpTools });
    for (const { rootPromptMessagesJson, turns } of client.checkpoints) {
      for (const id of [...rootPromptMessagesJson, ...turns]) expect(client.blobs.has(blobKey(id))).toBe(true);
    }
    for (const [key, data] of client.blobs) expect(blobKey(blobId(data))).toBe(key);
  });

  it("is sent in stages, of which only the last has the answer", async () => {
    const client = await run("[[say the answer]]");
    const lengths = client.checkpoints.map(({ rootPromptMessagesJson }) => rootPromptMessagesJson.length);
    expect(lengths).toEqual([3, 3, 4, 4]);
    expect(client.lastState.tokenDetails).toMatchObject({ maxTokens: 100_000, usedTokens: expect.any(Number) });
    expect(client.lastState.tokenDetails?.usedTokens).toBeGreaterThan(20);
  });

  it("keeps unknown fields", async () => {
    const first = await run("one");
    const bytes = Buffer.concat([
      toBinary(ConversationStateStructureSchema, first.lastState),
      Buffer.from([0xa2, 0x06, 1, 65]),
    ]);
    const conversationState = fromBinary(ConversationStateStructureSchema, bytes);
    const second = await run("two", { conversationState }, { blobs: first.blobs });
    expect(second.lastState.$unknown).toMatchObject([{ no: 100 }]);
  });
});

describe("the next turn", () => {
  it("continues from the checkpoint, and requests no blob that it holds", async () => {
    const first = await run("my name is Ada");
    const second = await run("who am I?", { conversationState: first.lastState }, { blobs: first.blobs });
    expect(second.text).toContain('Before that you said: "my name is Ada"');
    expect(stand.world.stats).toMatchObject({ blobsRequested: 0, runs: 2, conversations: 1 });
    // The message, its JSON, the answer's JSON, its step, and the turn before and after it.
    const given = second.messages.filter(({ message }) => message.case === "kvServerMessage");
    expect(given).toHaveLength(6);
    expect(rootsOf(second).map(({ role }) => role)).toEqual([
      "system",
      "context",
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(second.lastState.turns).toHaveLength(2);
  });

  it("remembers nothing without the checkpoint", async () => {
    await run("my name is Ada");
    expect((await run("who am I?")).text).not.toContain("Ada");
  });

  it("requests every blob again with forgetBlobs", async () => {
    stand.world.options.forgetBlobs = true;
    const first = await run("one");
    const second = await run("two", { conversationState: first.lastState }, { blobs: first.blobs });
    expect(second.text).toContain('"one"');
    // Four roots, the turn, its user message and its one step.
    expect(stand.world.stats.blobsRequested).toBe(7);
  });

  it("takes blobs that came with the request", async () => {
    stand.world.options.forgetBlobs = true;
    const first = await run("one");
    const preFetchedBlobs = [...first.blobs.values()].map((value) => ({ id: blobId(value), value }));
    const second = await run("two", { conversationState: first.lastState, preFetchedBlobs }, { blobs: first.blobs });
    expect(second.text).toContain('"one"');
    expect(stand.world.stats.blobsRequested).toBe(0);
  });

  it("fails when the client has lost a blob", async () => {
    const first = await run("one", { conversationId: "lost-1" });
    const client = startRun(stand, "two", { conversationState: first.lastState, conversationId: "lost-2" });
    expect((await client.ended).frame?.error).toEqual({ code: "internal", message: "Blob not found" });
  });

  it("fails when the id of a blob is not its hash", async () => {
    const first = await run("one", { conversationId: "wrong-1" });
    const blobs = new Map([...first.blobs.keys()].map((key): [string, Uint8Array] => [key, Buffer.from("{}")]));
    const client = startRun(stand, "two", { conversationState: first.lastState, conversationId: "wrong-2" }, { blobs });
    expect((await client.ended).frame?.error?.message).toContain("SHA-256");
    const early = startRun(stand, "hi", { preFetchedBlobs: [{ id: new Uint8Array(32), value: Buffer.from("x") }] });
    expect((await early.ended).frame?.error?.message).toContain("SHA-256");
  });

  it("does not begin before the client has stored its blobs", async () => {
    const client = startRun(stand, "[[say x]]", {}, { silent: ["kv"] });
    const kv = await client.until(({ message }) => (message.case === "kvServerMessage" ? message.value : undefined));
    expect(client.outline).not.toContain("stepStarted");
    const error = { message: "disk full" };
    client.send({
      case: "kvClientMessage",
      value: { id: kv.id, message: { case: "setBlobResult", value: { error } } },
    });
    expect((await client.ended).frame?.error).toMatchObject({
      code: "internal",
      message: expect.stringContaining("disk full"),
    });
  });
});

describe("a state that the client has built", () => {
  function build(blobs: Blobs, entries: unknown[]): ConversationStateStructure {
    return create(ConversationStateStructureSchema, {
      rootPromptMessagesJson: entries.map((entry) => putJson(blobs, entry)),
    });
  }

  it("is read, and a system message in it is replaced", async () => {
    const blobs: Blobs = new Map();
    const conversationState = build(blobs, [
      { role: "system", content: "You are a parrot" },
      { role: "user", content: "the secret word is plum" },
      { role: "assistant", content: [{ type: "text", text: "fine" }] },
    ]);
    const client = await run("what is it?", { conversationState }, { blobs });
    expect(client.text).toContain("the secret word is plum");
    expect(JSON.stringify(rootsOf(client))).not.toContain("parrot");
    expect(stand.world.stats.blobsRequested).toBe(3);
  });

  it("continues after the results in it", async () => {
    const blobs: Blobs = new Map();
    const conversationState = build(blobs, [
      { role: "user", content: "[[call a {}]] then [[say done]]" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "a", args: {} }] },
      { role: "tool", id: "c1", content: [{ type: "tool-result", toolCallId: "c1", toolName: "a", result: "42" }] },
    ]);
    const client = await run("", { ...resume, conversationState, mcpTools }, { blobs });
    expect(client.text).toBe("Result of a: 42\ndone");
    expect(stand.world.stats).toMatchObject({ resumes: 1, execsAsked: 1 });
    expect(client.lastState.turns).toHaveLength(1);
  });
});

describe("resuming", () => {
  it("repeats the staged calls under the same ids", async () => {
    const first = startRun(
      stand,
      '[[say go]] [[call a {"n":1}]] [[call a {"n":2}]] then [[say end]]',
      { mcpTools },
      { silent: ["exec"] },
    );
    await first.untilExec("mcpArgs");
    const second = await first.untilExec("mcpArgs", 1);
    first.answerExec(second.id, mcpText("two"));
    await first.until(() => (first.checkpoints.length === 3 ? true : undefined));
    first.reset();
    const staged = first.lastState;
    expect(staged.pendingToolCalls.map((call) => JSON.parse(call))).toMatchObject([{ toolName: "a", args: { n: 1 } }]);

    const again = await run("", { ...resume, conversationState: staged, mcpTools }, { blobs: first.blobs });
    expect(again.outline.filter((name) => name === "toolCallStarted")).toHaveLength(1);
    const { message } = await again.untilExec("mcpArgs");
    expect(message.case === "mcpArgs" && message.value.toolCallId).toBe(
      JSON.parse(staged.pendingToolCalls[0] ?? "{}").toolCallId,
    );
    expect(again.text).toBe("Result of a: two\nResult of a: done a\nend");
    // The model does not decide again: the first checkpoint has the pending call.
    expect(again.checkpoints[0]?.pendingToolCalls).toEqual(staged.pendingToolCalls);
    expect(again.lastState.turns).toHaveLength(1);
    expect(stand.world.stats).toMatchObject({ resumes: 1, execsAbandoned: 1 });
  });

  it("restarts the turn when nothing of it was settled", async () => {
    const first = startRun(stand, "[[say some words]] [[drop]]");
    await first.ended;
    const conversationState = first.lastState;
    const again = await run("", { ...resume, conversationState }, { blobs: first.blobs });
    expect(again.text).toBe("some words");
    expect(rootsOf(again, conversationState).map(({ role }) => role)).toEqual(["system", "context", "user"]);
  });
});

describe("an image", () => {
  const data = Buffer.from("not really a png");

  it("is noted in the message and stored as a blob of its own", async () => {
    const image = { dataOrBlobId: { case: "data" as const, value: data }, mimeType: "image/png", uuid: "u" };
    const value = { userMessage: { text: "look", selectedContext: { selectedImages: [image] } } };
    const client = await run("", { action: { action: { case: "userMessageAction", value } } });
    expect(client.text).toContain(`image/png of ${data.byteLength} bytes`);
    const hash = blobKey(blobId(data));
    expect(rootsOf(client)[2]).toEqual({
      role: "user",
      text: "look",
      images: [{ mimeType: "image/png", hash, bytes: 16 }],
    });
    expect(Buffer.from(client.blobs.get(hash) ?? [])).toEqual(data);
    const next = await run("and now?", { conversationState: client.lastState }, { blobs: client.blobs });
    expect(next.text).toContain('"look"');
  });

  it.each([
    ["instead of its id", { case: "blobId" as const, value: data }],
    ["by an unknown upload", { case: "promptUploadRef" as const, value: { uploadId: "x" } }],
  ])("is not found when it is given %s", async (_name, dataOrBlobId) => {
    const value = { userMessage: { text: "look", selectedContext: { selectedImages: [{ dataOrBlobId }] } } };
    const client = startRun(stand, "", { action: { action: { case: "userMessageAction", value } } });
    expect((await client.ended).frame?.error).toEqual({ code: "invalid_argument", message: "Image not found" });
  });
});
