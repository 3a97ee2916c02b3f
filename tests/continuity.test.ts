import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { type ChatMessage, chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startTestGateway, startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

const tools = [tool("weather", { city: { type: "string" } }), tool("time"), tool("add", { a: { type: "integer" } })];

let system: WholeSystem;
afterEach(() => system.close());

describe.each([
  { name: "10 KiB of history", bytes: 10 * 1024, forgetBlobs: false, transport: "h2" },
  { name: "1 MiB of history", bytes: 1024 * 1024, forgetBlobs: false, transport: "h2" },
  { name: "1 MiB of history", bytes: 1024 * 1024, forgetBlobs: false, transport: "h1" },
  { name: "10 KiB of history, at a server that forgets", bytes: 10 * 1024, forgetBlobs: true, transport: "h2" },
] as const)("ten user turns behind $name, over $transport", ({ bytes, forgetBlobs, transport }) => {
  it("each cost only what is new", async () => {
    system = await startWholeSystem({ forgetBlobs, transport });
    const systemPrompt: ChatMessage = { role: "system", content: "You are a careful assistant. ".repeat(20) };
    const messages = [systemPrompt, user(`${"filler ".repeat(bytes / 7)}[[say Read it all.]]`)];
    const flatCost = 2 * (JSON.stringify(tools).length + systemPrompt.content?.toString().length);
    for (let turn = 1; turn <= 10; turn++) {
      const { bytesIn, cacheReadTokens, inputTokens } = system.simulator.stats();
      const reply = await chat(system.url, messages, { tools });
      const after = system.simulator.stats();
      expect(reply.continuity).toBe(turn === 1 ? "cold:new" : "warm");
      if (turn > 1) {
        const sent = after.bytesIn - bytesIn;
        if (!forgetBlobs) expect(sent).toBeLessThan(flatCost + stateBytes() + 2_048);
        const read = after.inputTokens - inputTokens;
        const cached = after.cacheReadTokens - cacheReadTokens;
        expect(cached / read).toBeGreaterThan(bytes > 100_000 ? 0.99 : 0.9);
      }
      messages.push(reply.message, user(`Turn ${turn}. [[say Answer ${turn}.]]`));
    }
    expect(system.simulator.stats()).toMatchObject({ conversations: 1, runs: 10 });
  });
});

/** Size of the state that the newest run sent, which is the checkpoint as received. */
function stateBytes(): number {
  const runs = system.simulator.requests(50).filter(({ path }) => /\/Run(SSE)?$/.test(path));
  const first = runs.at(-1)?.messages[0] as { runRequest: { conversationState: unknown } };
  return JSON.stringify(first.runRequest.conversationState).length;
}

/** Definitions go out twice: with the run, and with the context that the server asks for. */
function definitionBytes(offered: readonly unknown[]): number {
  return 2 * JSON.stringify(offered).length;
}

describe("a conversation", () => {
  beforeEach(async () => {
    system = await startWholeSystem();
  });

  it("is warm again after a regenerated answer and after an undone turn", async () => {
    const messages = [user("[[say one]]")];
    const first = await chat(system.url, messages, { tools });
    messages.push(first.message, user("[[say two]]"));
    const second = await chat(system.url, messages, { tools });
    const again = await chat(system.url, messages, { tools });
    expect(again).toMatchObject({ continuity: "warm", text: "two" });
    const branch = await chat(system.url, [...messages.slice(0, 2), user("[[say another]]")], { tools });
    expect(branch).toMatchObject({ continuity: "warm", text: "another" });
    const onward = await chat(system.url, [...messages, second.message, user("[[say three]]")], { tools });
    expect(onward).toMatchObject({ continuity: "warm", text: "three" });
  });

  it("continues from the last checkpoint before an edit", async () => {
    const messages = [user("My bird is a curlew. [[say one]]")];
    const first = await chat(system.url, messages, { tools });
    messages.push(first.message, user("[[say two]]"));
    const second = await chat(system.url, messages, { tools });
    const edited: ChatMessage[] = [
      ...messages,
      { ...second.message, content: "something else" },
      user("[[say three]]"),
    ];
    expect(await chat(system.url, edited, { tools })).toMatchObject({ continuity: "cold:edited", text: "three" });
    expect(system.simulator.stats().conversations).toBe(1);
  });

  it("keeps its id at Cursor over a turn with tools", async () => {
    const question = user('[[call weather {"city":"Kiel"}]] then [[say rainy]]');
    const first = await chat(system.url, [question], { tools });
    const answered = [question, first.message, result(first.calls[0], "rain")];
    const second = await chat(system.url, answered, { tools });
    const third = await chat(system.url, [...answered, second.message, user("[[say next]]")], { tools });
    expect(third).toMatchObject({ continuity: "warm", text: "next" });
    expect(system.simulator.stats()).toMatchObject({ conversations: 1, runs: 2 });
  });

  it("stays warm when its client rewrites reminders, and sends the model the new ones", async () => {
    const reminder = (files: string) => `<system-reminder>Files: ${files}</system-reminder>`;
    const opening = (files: string) => user(`${reminder(files)} [[call weather {"city":"Kiel"}]] then [[say rainy]]`);
    const first = await chat(system.url, [opening("one")], { tools });
    const answered = (files: string) => [opening(files), first.message, result(first.calls[0], "rain")];
    const second = await chat(system.url, answered("one, two"), { tools });
    expect(second.continuity).toBe("warm");
    const more = [second.message, user("[[say next]]")];
    const third = await chat(system.url, [...answered("one, two"), ...more], { tools });
    expect(third).toMatchObject({ continuity: "warm", text: "next" });
    const last = [...answered("one, two"), ...more, third.message, user("[[say last]]")];
    expect(await chat(system.url, last, { tools })).toMatchObject({ continuity: "warm", text: "last" });
    const texts = system.simulator.requests(50).flatMap(({ messages }) => {
      const text = JSON.stringify(messages[0] ?? {}).match(/"text":"(.*?)"/)?.[1];
      return text === undefined ? [] : [text];
    });
    expect(texts.map((text) => text.match(/Files: (.*?)</)?.[1])).toEqual(["one", "one, two", undefined]);
  });

  it.each([
    ["without the thinking before it", "[[think Let me see.]] [[say One.]]", "One."],
    ["without the white space at its ends", "[[say  One.  ]]", "One."],
    ["with white space at its ends", "[[say One.]]", "\n One. \n"],
  ])("stays warm when its client sends an answer back %s", async (_, asked, sentBack) => {
    const first = await chat(system.url, [user(asked)], { tools });
    expect(first.text.trim()).toBe("One.");
    const next = [user(asked), { role: "assistant" as const, content: sentBack }, user("[[say Two.]]")];
    expect(await chat(system.url, next, { tools })).toMatchObject({ continuity: "warm", text: "Two." });
  });

  it("stays warm under another system prompt and other tools, which reach the model", async () => {
    const messages = [user("[[say one]]")];
    const first = await chat(system.url, messages, { tools });
    messages.push(first.message, user("Who are you now?"));
    const fewer = await chat(system.url, messages, { tools: tools.slice(1) });
    expect(fewer).toMatchObject({
      continuity: "warm:settings-changed",
      text: expect.stringContaining("My tools: time, add."),
    });
    const other: ChatMessage[] = [{ role: "system", content: "Be brief." }, ...messages];
    const brief = await chat(system.url, other, { tools });
    expect(brief).toMatchObject({ continuity: "warm:settings-changed", text: expect.stringContaining('"Be brief."') });
    expect(system.simulator.stats().conversations).toBe(1);
  });

  it("costs only what is new when the system prompt changes with every turn", async () => {
    const clock = (turn: number): ChatMessage => ({ role: "system", content: `It is ${turn} o'clock.` });
    const messages = [user(`${"filler ".repeat(15_000)}[[say one]]`)];
    for (let turn = 1; turn <= 10; turn++) {
      const { bytesIn } = system.simulator.stats();
      const reply = await chat(system.url, [clock(turn), ...messages], { tools });
      if (turn > 1) {
        expect(reply.continuity).toBe("warm:settings-changed");
        const sent = system.simulator.stats().bytesIn - bytesIn;
        expect(sent).toBeLessThan(definitionBytes(tools) + stateBytes() + 2_048);
      }
      messages.push(reply.message, user(`[[say Answer ${turn}.]]`));
    }
    expect(system.simulator.stats()).toMatchObject({ runs: 10, conversations: 1 });
  });

  it("stays on its run when only the system prompt changes during a tool round", async () => {
    const rules = (content: string): ChatMessage => ({ role: "system", content });
    const question = user("[[call time {}]] then [[say noon]]");
    const first = await chat(system.url, [rules("It is 11."), question], { tools });
    const answered = [question, first.message, result(first.calls[0], "12")];
    const second = await chat(system.url, [rules("It is 12."), ...answered], { tools });
    expect(second).toMatchObject({ continuity: "warm:settings-changed", text: "Result of time: 12\nnoon" });
    const third = [rules("It is 12."), ...answered, second.message, user("[[say next]]")];
    expect(await chat(system.url, third, { tools })).toMatchObject({ continuity: "warm", text: "next" });
    expect(system.simulator.stats()).toMatchObject({ runs: 2, conversations: 1, execsAbandoned: 0 });
  });

  it("gets a tool that was added during a tool round without sending its history again", async () => {
    const question = user(`${"filler ".repeat(15_000)}[[call time {}]] then [[call late {}]] then [[say both]]`);
    const first = await chat(system.url, [question], { tools });
    const more = [...tools, tool("late")];
    const answered = [question, first.message, result(first.calls[0], "12")];
    const { bytesIn, blobBytesIn } = system.simulator.stats();
    const second = await chat(system.url, answered, { tools: more });
    expect(second).toMatchObject({ continuity: "warm:settings-changed", calls: [{ function: { name: "late" } }] });
    const after = system.simulator.stats();
    // The parked run is abandoned with its call, so Cursor sees a new id and asks for the blobs of the conversation again.
    const sent = after.bytesIn - after.blobBytesIn - (bytesIn - blobBytesIn);
    expect(sent).toBeLessThan(definitionBytes(more) + stateBytes() + 2_048);
    const third = [...answered, second.message, result(second.calls[0], "ok")];
    expect(await chat(system.url, third, { tools: more })).toMatchObject({ continuity: "warm", calls: [] });
    expect(system.simulator.stats()).toMatchObject({ runs: 2, resumes: 1, conversations: 2 });
  });

  it("is not confused by a concurrent title request with the same session id", async () => {
    const messages = [user("[[say the answer]]")];
    const title: ChatMessage[] = [
      { role: "system", content: "Write a title for this thread." },
      user("[[say A title]]"),
    ];
    const [reply, named] = await Promise.all([chat(system.url, messages, { tools }), chat(system.url, title)]);
    expect([reply.text, named.text]).toEqual(["the answer", "A title"]);
    const next = [...messages, reply.message, user("[[say more]]")];
    expect(await chat(system.url, next, { tools })).toMatchObject({ continuity: "warm", text: "more" });
  });

  it("sends the same request context every turn", async () => {
    const messages = [user("[[say one]]")];
    const first = await chat(system.url, messages, { tools });
    await chat(system.url, [...messages, first.message, user("[[say two]]")], { tools, tool_choice: "none" });
    const contexts = system.simulator
      .requests(50)
      .filter(({ path }) => /\/Run(SSE)?$/.test(path))
      .map(({ messages: sent }) =>
        JSON.stringify(sent.find((each) => JSON.stringify(each).includes("requestContextResult"))),
      );
    expect(contexts).toHaveLength(2);
    expect(contexts[0]).toBe(contexts[1]);
  });
});

describe("results", () => {
  beforeEach(async () => {
    system = await startWholeSystem();
  });

  const question = user('[[call weather {"city":"Kiel"}]] [[call time {}]] then [[say All done.]]');

  it("after the lease complete the turn from its checkpoint, without repeating a call", async () => {
    await system.close();
    system = await startWholeSystem({}, { leaseMs: 1_000 });
    const first = await chat(system.url, [question], { tools });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    const answered = [question, first.message, result(first.calls[0], "rain"), result(first.calls[1], "noon")];
    const second = await chat(system.url, answered, { tools });
    expect(second).toMatchObject({ continuity: "resumed", finish: "stop", calls: [] });
    expect(second.text).toContain("All done.");
    expect(second.text).toContain("rain");
    expect(system.simulator.stats()).toMatchObject({ runs: 2, resumes: 1, execsAbandoned: 2, conversations: 2 });
    const third = await chat(system.url, [...answered, second.message, user("[[say next]]")], { tools });
    expect(third.continuity).toBe("warm");
  });

  /** Sends results, and returns when the answer has begun. */
  async function begin(messages: readonly ChatMessage[]) {
    const leaving = new AbortController();
    const response = await postJson(
      `${system.url}/v1/chat/completions`,
      { model: "auto", stream: true, messages, tools },
      {},
      leaving.signal,
    );
    return { continuity: response.headers.get("x-curlew-continuity"), leave: () => leaving.abort() };
  }

  it("that race another request for the run start a new run, and are `resumed` once that request ends", async () => {
    const slow = user("[[call time {}]] then [[say begun]] [[wait 3600000]]");
    const first = await chat(system.url, [slow], { tools });
    const answered = [slow, first.message, result(first.calls[0], "noon")];
    const winner = await begin(answered);
    const loser = await begin(answered);
    expect([winner.continuity, loser.continuity]).toEqual(["warm", "cold:raced"]);
    for (const { leave } of [winner, loser]) leave();
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    const again = await begin(answered);
    expect(again.continuity).toBe("resumed");
    again.leave();
  });

  it("that a client repeats as soon as it has left are `resumed`: no other request is being answered", async () => {
    const slow = user("[[call time {}]] then [[say begun]] [[wait 3600000]]");
    const first = await chat(system.url, [slow], { tools });
    const answered = [slow, first.message, result(first.calls[0], "noon")];
    const reader = await begin(answered);
    reader.leave();
    const again = await begin(answered);
    expect(again.continuity).toBe("resumed");
    again.leave();
  });

  it("that a client repeats are `resumed`, after a broken connection and after a lost reply with calls", async () => {
    const broken = user("[[call time {}]] then [[say one]] [[drop once]] [[call add {}]] then [[say two]]");
    const first = await chat(system.url, [broken], { tools });
    const answered = [broken, first.message, result(first.calls[0], "noon")];
    await expect(chat(system.url, answered, { tools })).rejects.toThrow();
    const second = await chat(system.url, answered, { tools });
    expect(second).toMatchObject({ continuity: "resumed", calls: [{ function: { name: "add" } }] });
    expect(await chat(system.url, answered, { tools })).toMatchObject({ continuity: "resumed", finish: "tool_calls" });
  });

  it("that go to another gateway of the same home are known to the first one at the next message", async () => {
    const other = await system.startAnother();
    for (let round = 0; round < 3; round++) {
      const asked = user(`Round ${round}. [[call time {}]] then [[say All done.]]`);
      const first = await chat(system.url, [asked], { tools });
      const answered = [asked, first.message, result(first.calls[0], "noon")];
      const second = await chat(other, answered, { tools });
      const third = await chat(system.url, [...answered, second.message, user("[[say next]]")], { tools });
      expect([second.continuity, third.continuity]).toEqual(["resumed", "warm"]);
    }
    expect(system.simulator.stats()).toMatchObject({ runs: 9, runsOpen: 0 });
  });

  it("that never come: a new user message ends the run, and continues from its state", async () => {
    const first = await chat(system.url, [question], { tools });
    const second = await chat(system.url, [question, first.message, user("Never mind. [[say All right.]]")], { tools });
    expect(second).toMatchObject({ continuity: "resumed", text: "All right.", finish: "stop" });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    const third = await chat(
      system.url,
      [question, first.message, user("Never mind. [[say All right.]]"), second.message, user("[[say next]]")],
      { tools },
    );
    expect(third.continuity).toBe("warm");
  });

  it("are sent with the images that follow them", async () => {
    const first = await chat(system.url, [question], { tools });
    const data = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(100)]).toString("base64");
    const images: ChatMessage = {
      role: "user",
      content: [
        { type: "text", text: "Attached media from tool result:" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
      ],
    };
    const results = [result(first.calls[0], "rain"), result(first.calls[1], "noon")];
    const second = await chat(system.url, [question, first.message, ...results, images], { tools });
    expect(second).toMatchObject({ continuity: "warm", text: expect.stringContaining("All done."), calls: [] });
    expect(system.simulator.stats().runs).toBe(1);
    expect(JSON.stringify(system.simulator.requests(50))).toContain(data);
  });

  it("that follow a new user message go to their run together", async () => {
    const first = await chat(system.url, [question], { tools });
    const results = [result(first.calls[0], "rain"), result(first.calls[1], "noon")];
    const messages = [question, first.message, user("And then: [[say Both.]]"), ...results];
    const second = await chat(system.url, messages, { tools });
    expect(second).toMatchObject({ continuity: "warm:steered", text: expect.stringContaining("Both."), calls: [] });
    expect(system.simulator.stats().runs).toBe(1);
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  });

  it("of unknown calls are accepted", async () => {
    const call = { id: "sess_abc__call_42", type: "function" as const, function: { name: "time", arguments: "{}" } };
    const messages: ChatMessage[] = [
      user("[[call time {}]] then [[say It is late.]]"),
      { role: "assistant", content: null, tool_calls: [call] },
      result(call, "midnight"),
    ];
    const reply = await chat(system.url, messages, { tools });
    expect(reply).toMatchObject({ continuity: "cold:unknown-call", finish: "stop", calls: [] });
    expect(reply.text).toContain("It is late.");
  });

  it.each([
    { name: "another system prompt", system: "B", offered: tools, runs: 1 },
    { name: "other tools", system: "A", offered: tools.slice(0, 2), runs: 2 },
  ])("under $name continue from their checkpoint", async ({ system: other, offered, runs }) => {
    const prompt = (content: string): ChatMessage => ({ role: "system", content });
    const first = await chat(system.url, [prompt("A"), question], { tools });
    const rest = [question, first.message, result(first.calls[0], "rain"), result(first.calls[1], "noon")];
    const second = await chat(system.url, [prompt(other), ...rest], { tools: offered });
    expect(second).toMatchObject({ continuity: "warm:settings-changed", finish: "stop", calls: [] });
    expect(second.text).toContain("All done.");
    expect(system.simulator.stats()).toMatchObject({ runs, conversations: runs });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  });

  it("in part continue under another system prompt, too", async () => {
    const first = await chat(system.url, [question], { tools });
    const part = [question, first.message, result(first.calls[0], "rain")];
    const again = await chat(system.url, part, { tools });
    expect(again).toMatchObject({ continuity: "warm", calls: { length: 1 } });
    const all = [...part, again.message, result(again.calls[0], "noon")];
    const other: ChatMessage = { role: "system", content: "B" };
    expect((await chat(system.url, [other, ...all], { tools })).continuity).toBe("warm:settings-changed");
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  });

  it("under an edited history restart from the transcript", async () => {
    const first = await chat(system.url, [question], { tools });
    const edited = user('Please: [[call weather {"city":"Kiel"}]] [[call time {}]] then [[say Edited.]]');
    const answered = [edited, first.message, result(first.calls[0], "rain"), result(first.calls[1], "noon")];
    const second = await chat(system.url, answered, { tools });
    expect(second).toMatchObject({ continuity: "cold:edited", finish: "stop", calls: [] });
    expect(second.text).toContain("Edited.");
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  });
});

describe("identical conversations", () => {
  it("under two accounts or two gateway keys stay separate", async () => {
    system = await startWholeSystem({}, { key: "first-gateway-key-123" });
    const { home } = system;
    const start = (apiKey: string, key: string) =>
      startTestGateway({
        home,
        apiKey,
        key,
        logLevel: "silent",
        settings: { backendUrl: system.simulator.url },
      });
    const otherKey = await start("crsr_whole_system", "second-gateway-key-45");
    const otherAccount = await start("crsr_another_account", "first-gateway-key-123");
    try {
      const messages = [user('[[call weather {"city":"Kiel"}]] then [[say done]]')];
      const first = await chat(system.url, messages, { tools, key: "first-gateway-key-123" });
      const answered = [...messages, first.message, result(first.calls[0], "rain")];
      for (const [gateway, key] of [
        [otherKey, "second-gateway-key-45"],
        [otherAccount, "first-gateway-key-123"],
      ] as const) {
        expect((await chat(gateway.url, answered, { tools, key })).continuity).toBe("cold:unknown-call");
      }
      const own = await chat(system.url, answered, { tools, key: "first-gateway-key-123" });
      expect(own.continuity).toBe("warm");

      const talk = [user("[[say only here]]")];
      const said = await chat(system.url, talk, { tools, key: "first-gateway-key-123" });
      const next = [...talk, said.message, user("[[say next]]")];
      expect((await chat(otherKey.url, next, { tools, key: "second-gateway-key-45" })).continuity).toBe("cold:new");
      expect((await chat(otherAccount.url, next, { tools, key: "first-gateway-key-123" })).continuity).toBe("cold:new");
      expect((await chat(system.url, next, { tools, key: "first-gateway-key-123" })).continuity).toBe("warm");
    } finally {
      await otherKey.close();
      await otherAccount.close();
    }
  });
});
