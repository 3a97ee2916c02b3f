import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryStore, type Store } from "../packages/gateway/store/index.js";
import { LineageStore } from "../packages/gateway/store/lineage-store.js";
import { memoryTables } from "../packages/gateway/store/memory.js";
import type { Simulator } from "../packages/simulator/index.js";
import { postJson } from "../testing/clients/post-json.js";
import { type ChatMessage, chat, result, tool, user } from "../testing/clients/tool-client.js";
import { makeAgentBackend } from "../testing/gateway/agent-backend.js";
import { makeGateway } from "../testing/gateway/make-gateway.js";
import { serveGateway } from "../testing/gateway/serve-gateway.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

const MiB = 1024 * 1024;
const tools = [tool("look")];

/** Starts a gateway on this store, with a Cursor that asks for every blob in each run. */
async function startOn(store: Store): Promise<{ url: string; simulator: Simulator }> {
  const simulator = await startSimulator({ forgetBlobs: true });
  const backend = makeAgentBackend(simulator.url);
  const gateway = makeGateway(backend, { store });
  const server = await serveGateway(gateway);
  onTestFinished(async () => {
    await gateway.close();
    await server.close();
    await store.close();
    await simulator.close();
  });
  return { url: server.url, simulator };
}

/** A disk that is full, with the memory in its place exhausted. */
function storeOnFullDisk(): Store {
  return new LineageStore({ tables: { ...memoryTables(), isFull: () => true }, maxBytes: 64 * MiB, now: Date.now });
}

/** Plays two turns. Returns the continuity of the second. */
async function converse(url: string, first: ChatMessage, name: string): Promise<string> {
  const messages = [first];
  const { message, text } = await chat(url, messages, { stream: false });
  expect(text).toBe(`Noted ${name}.`);
  const second = await chat(url, [...messages, message, user(`And now? [[say Still ${name}.]]`)]);
  expect(second.text).toBe(`Still ${name}.`);
  return second.continuity;
}

async function inTurns(width: number, count: number, act: (index: number) => Promise<string>): Promise<string[]> {
  const done: string[] = [];
  let next = 0;
  const lane = async () => {
    while (next < count) done.push(await act(next++));
  };
  await Promise.all(Array.from({ length: width }, lane));
  return done;
}

describe("turns do not fail when the store is full", () => {
  it("when concurrent conversations keep filling a small store", async () => {
    // The clock stands still, so the writes drive the sweep.
    const { url } = await startOn(createMemoryStore({ maxBytes: MiB / 4, now: () => 1_800_000_000_000 }));
    const continuities = await inTurns(4, 48, (index) =>
      converse(url, user(`${"filler ".repeat(1_000)} [[say Noted ${index}.]]`), `${index}`),
    );
    // The store has room for more than ten conversations, so one that continues at once is usually still there.
    expect(continuities.filter((each) => each === "warm").length).toBeGreaterThan(24);
  });

  it("when the disk is full", async () => {
    const { url, simulator } = await startOn(storeOnFullDisk());
    const continuities = await inTurns(2, 10, (index) =>
      converse(url, user(`${"filler ".repeat(20_000)} [[say Noted ${index}.]]`), `${index}`),
    );
    expect(new Set(continuities)).toEqual(new Set(["warm"]));
    expect(simulator.stats().blobsRequested).toBeGreaterThan(0);
  });

  it("when images fill an in-memory store", async () => {
    const { url } = await startOn(createMemoryStore({ maxBytes: MiB, now: Date.now }));
    const continuities = await inTurns(1, 27, (index) => {
      const image = Buffer.concat([Buffer.from("89504e470d0a1a0a0000", "hex"), Buffer.alloc(120_000, index)]);
      const part = { type: "image_url", image_url: { url: `data:image/png;base64,${image.toString("base64")}` } };
      return converse(url, user([{ type: "text", text: `[[say Noted ${index}.]]` }, part]), `${index}`);
    });
    expect(continuities).toHaveLength(27);
  });
});

describe("on a store that keeps nothing", () => {
  it("a parked run continues, with the history before it", async () => {
    const { url, simulator } = await startOn(storeOnFullDisk());
    const messages: ChatMessage[] = [
      user("The word is heron."),
      { role: "assistant", content: "I see." },
      user('[[call look {"at": 1}]] [[say Seen.]]'),
    ];
    const paused = await chat(url, messages, { tools });
    const [call] = paused.calls;
    const answer = await chat(url, [...messages, paused.message, result(call, "fine")], { tools });
    expect(answer).toMatchObject({ text: "Result of look: fine\nSeen.", continuity: "warm" });
    expect(simulator.stats()).toMatchObject({ runs: 1 });
  });

  it("an answer that violates its format is still retried in the same conversation", async () => {
    const { url, simulator } = await startOn(storeOnFullDisk());
    const schema = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
    const format = { type: "json_schema", json_schema: { name: "word", schema, strict: true } };
    const messages = [
      user("The word is heron."),
      { role: "assistant" as const, content: "I see." },
      user("[[badjson 1]] Which word?"),
    ];
    const answer = await chat(url, messages, { response_format: format });
    expect(JSON.parse(answer.text)).toHaveProperty("word");
    expect(simulator.stats()).toMatchObject({ runs: 2, conversations: 1 });
  });

  it("a response can be continued by its id", async () => {
    const { url } = await startOn(storeOnFullDisk());
    const respond = async (body: object) => {
      const response = await postJson(`${url}/v1/responses`, { model: "auto", ...body });
      const reply: { id: string; output: unknown } = JSON.parse(await response.text());
      return { code: response.status, ...reply };
    };
    const first = await respond({ input: "[[say one]]" });
    const second = await respond({ input: "[[say two]]", previous_response_id: first.id });
    expect(second).toMatchObject({ code: 200, output: [{ content: [{ text: "two" }] }] });
  });

  it("a conversation whose blobs were lost is resent with every turn while the store is full", async () => {
    const kept = createMemoryStore({ now: Date.now });
    let isLost = false;
    const losing = new Proxy(kept, {
      get(_, name) {
        if (isLost && name === "getBlob") return () => undefined;
        if (isLost && (name === "putBlob" || name === "put")) return () => false;
        const found: unknown = Reflect.get(kept, name);
        return typeof found === "function" ? found.bind(kept) : found;
      },
    });
    const { url } = await startOn(losing);
    const messages = [user("[[say one]]")];
    const say = async (content: string) => {
      const answer = await chat(url, messages);
      messages.push(answer.message, user(content));
      return [answer.text, answer.continuity];
    };
    expect(await say("[[say two]]")).toEqual(["one", "cold:new"]);
    expect(await say("[[say three]]")).toEqual(["two", "warm"]);
    isLost = true;
    expect(await say("[[say four]]")).toEqual(["three", "cold:blob-missing"]);
    expect(await say("[[say five]]")).toEqual(["four", "cold:blob-missing"]);
    expect(await say("")).toEqual(["five", "cold:blob-missing"]);
  });
});
