import { describe, expect, it } from "vitest";
import {
  type AgentClient,
  type ClientHabits,
  type RunInit,
  runToEnd,
  startRun,
} from "../../../../testing/simulator/agent-client.js";
import { startStand } from "../../../../testing/simulator/stand.js";
import { startedEach } from "../../../../testing/started.js";
import { blobId, blobKey } from "../../server/blob-id.js";

const stand = startedEach(() => startStand());

function run(text: string, init: RunInit = {}, habits: ClientHabits = {}): Promise<AgentClient> {
  return runToEnd(stand, text, init, habits);
}
const mcpTools = { mcpTools: [{ toolName: "a", name: "own-a", providerIdentifier: "own" }] };

describe("a checkpoint", () => {
  it("names no blob that the client has not stored", async () => {
    const client = await run('[[call a {"x":1}]] [[say done]]', { mcpTools });
    for (const { rootPromptMessagesJson, turns } of client.checkpoints) {
      for (const id of [...rootPromptMessagesJson, ...turns]) expect(client.blobs.has(blobKey(id))).toBe(true);
    }
    for (const [key, data] of client.blobs) expect(blobKey(blobId(data))).toBe(key);
  });
});

describe("the next turn", () => {
  it("requests every blob again with forgetBlobs", async () => {
    stand.world.options.forgetBlobs = true;
    const first = await run("one");
    const second = await run("two", { conversationState: first.lastState }, { blobs: first.blobs });
    expect(second.text).toContain('"one"');
    // Four roots, the turn, its user message and its one step.
    expect(stand.world.stats.blobsRequested).toBe(7);
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

describe("an image", () => {
  const data = Buffer.from("not really a png");

  it.each([
    ["instead of its id", { case: "blobId" as const, value: data }],
    ["by an unknown upload", { case: "promptUploadRef" as const, value: { uploadId: "x" } }],
  ])("is not found when it is given %s", async (_name, dataOrBlobId) => {
    const value = { userMessage: { text: "look", selectedContext: { selectedImages: [{ dataOrBlobId }] } } };
    const client = startRun(stand, "", { action: { action: { case: "userMessageAction", value } } });
    expect((await client.ended).frame?.error).toEqual({ code: "invalid_argument", message: "Image not found" });
  });
});
