import { describe, expect, it } from "vitest";
import { ask, type Message } from "../testing/clients/messages-client.js";
import { postJson } from "../testing/clients/post-json.js";
import { type ChatMessage, chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const system = startedEach(() => startWholeSystem());

/** Large enough to show in the byte counts if sent again. */
const filler = "filler ".repeat(10_000);
const tools = [tool("weather"), tool("time")];
const opening = [user(`${filler} [[say One.]]`)];

/** Plays one long turn. Returns its messages. */
async function begun(): Promise<ChatMessage[]> {
  const first = await chat(system.url, opening, { tools });
  return [...opening, first.message];
}

const sentSince = (bytesIn: number) => system.simulator.stats().bytesIn - bytesIn;
/** Bytes sent without blobs, which Cursor requests again when the id changes. */
const ownBytes = () => system.simulator.stats().bytesIn - system.simulator.stats().blobBytesIn;

describe("a message instead of results", () => {
  const question = user(`${filler} [[call weather {}]] [[call time {}]] then [[say never]]`);

  it.each([
    { name: "of any", given: 0, prompt: [] },
    { name: "of some", given: 1, prompt: [] },
    { name: "under another system prompt", given: 0, prompt: [{ role: "system" as const, content: "Be brief." }] },
  ])("$name ends the run and continues from its state without resending earlier messages", async (row) => {
    const messages = [...(await begun()), question];
    const asked = await chat(system.url, messages, { tools });
    messages.push(asked.message, ...asked.calls.slice(0, row.given).map((call) => result(call, "rain")));
    const before = ownBytes();
    const words = user("Never mind. [[say All right.]]");
    const second = await chat(system.url, [...row.prompt, ...messages, words], { tools });
    const continuity = row.prompt.length === 0 ? "resumed" : "warm:settings-changed";
    expect(second).toMatchObject({ continuity, text: "All right." });
    expect(ownBytes() - before).toBeLessThan(4_096);
    expect(system.simulator.stats()).toMatchObject({ runs: 3, conversations: 2 });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    messages.push(words, second.message, user("What did I say?"));
    const third = await chat(system.url, [...row.prompt, ...messages], { tools });
    expect(third.continuity).toBe("warm");
    expect(third.text.split("Never mind.")).toHaveLength(2);
  });

  it("continues from the state after a restart, in a later round", async () => {
    const messages = [
      ...(await begun()),
      user(`${filler} [[call weather {}]] then [[call time {}]] then [[say never]]`),
    ];
    const first = await chat(system.url, messages, { tools });
    messages.push(first.message, result(first.calls[0], "rain"));
    const second = await chat(system.url, messages, { tools });
    messages.push(second.message, user("Never mind. [[say All right.]]"));
    const before = ownBytes();
    const third = await chat(await system.startAnother(), messages, { tools });
    expect(third).toMatchObject({ continuity: "resumed", text: "All right." });
    expect(ownBytes() - before).toBeLessThan(4_096);
  });
});

describe("user content beside results that cannot carry it", () => {
  it("is sent with them from the state before the calls: an image beside a built-in tool", async () => {
    const bash = [tool("bash", { command: { type: "string" } })];
    const messages = [user(`${filler} [[native shell {"command":"ls"}]] then [[say never]]`)];
    const first = await chat(system.url, messages, { tools: bash });
    const data = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(100)]).toString("base64");
    const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } };
    messages.push(
      first.message,
      result(first.calls[0], "a.txt"),
      user([{ type: "text", text: "Like this:" }, picture]),
    );
    const before = ownBytes();
    const second = await chat(system.url, messages, { tools: bash });
    expect(second).toMatchObject({ continuity: "resumed", text: expect.stringContaining("image/png of 108 bytes") });
    expect(ownBytes() - before).toBeLessThan(4_096);
    messages.push(second.message, user("[[say next]]"));
    expect(await chat(system.url, messages, { tools: bash })).toMatchObject({ continuity: "warm", text: "next" });
  });

  it("is sent with them from the state before the calls: words beside a written file", async () => {
    const write = [tool("write", { path: { type: "string" }, content: { type: "string" } })];
    const messages = [user(`${filler} [[native write {"path":"/a","fileText":"x"}]] then [[say never]]`)];
    const first = await chat(system.url, messages, { tools: write });
    messages.push(first.message, result(first.calls[0], "done"), user("Wait! [[say As you wish.]]"));
    const before = ownBytes();
    const second = await chat(system.url, messages, { tools: write });
    expect(second).toMatchObject({ continuity: "resumed", text: "As you wish." });
    expect(ownBytes() - before).toBeLessThan(4_096);
  });
});

describe("a message after an interrupted answer", () => {
  /** Sends a message and disconnects during the answer. */
  async function abort(messages: readonly ChatMessage[]): Promise<void> {
    const leaving = new AbortController();
    const response = await postJson(
      `${system.url}/v1/chat/completions`,
      { model: "auto", messages, tools, stream: true },
      {},
      leaving.signal,
    );
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes("Half.")) break;
    }
    leaving.abort();
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  }

  it.each([
    { name: "the half that it has", kept: [{ role: "assistant" as const, content: "Half." }], continuity: "resumed" },
    { name: "nothing of it", kept: [], continuity: "warm" },
  ])("continues from the state before it when the client keeps $name", async ({ kept, continuity }) => {
    const question = user(`${filler} [[say Half.]] [[wait 60000]] [[say never]]`);
    const messages = [...(await begun()), question];
    await abort(messages);
    messages.push(...kept, user("[[say Another thing.]]"));
    const { bytesIn } = system.simulator.stats();
    const second = await chat(system.url, messages, { tools });
    expect(second).toMatchObject({ continuity, text: "Another thing." });
    expect(sentSince(bytesIn)).toBeLessThan(4_096);
    messages.push(second.message, user("[[say next]]"));
    expect(await chat(system.url, messages, { tools })).toMatchObject({ continuity: "warm", text: "next" });
    expect(system.simulator.stats().conversations).toBe(1);
  });

  it("continues from the state before it when a stop sequence cut it off", async () => {
    const messages: Message[] = [{ role: "user", content: `${filler} [[say one two STOP three]]` }];
    const first = await ask(system.url, messages, { stop_sequences: ["STOP"] });
    messages.push({ role: "assistant", content: first.content }, { role: "user", content: "[[say Go on.]]" });
    const { bytesIn } = system.simulator.stats();
    expect(await ask(system.url, messages)).toMatchObject({ continuity: "resumed", text: "Go on." });
    expect(sentSince(bytesIn)).toBeLessThan(4_096);
  });
});
