import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startWholeSystem, type WholeSystem } from "../../../../../testing/gateway/whole-system.js";
import { newLink, openPage, type PageClient, secretIn } from "../../../../../testing/page/page-client.js";
import type { ModelsAnswer } from "../../../access/contract.js";
import { problemOf } from "../../api/call.js";
import { Chat } from "./chat.js";
import type { Reply } from "./reply.js";

let system: WholeSystem;
let page: PageClient;
let models: ModelsAnswer["models"];
let chat: Chat;
beforeAll(async () => {
  system = await startWholeSystem();
  page = await openPage(system.url, { link: secretIn(await newLink(system.home, system.url)) });
  const answer: ModelsAnswer = JSON.parse(await (await page.ask("/admin/api/models")).text());
  models = answer.models;
});
afterAll(() => system.close());
beforeEach(() => {
  chat = new Chat(send);
  chat.know(models);
});

/** Sends like the page does. */
async function send(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
  const answer = await page.ask(`/admin/api/${path}`, { ...init, headers: Object.fromEntries(new Headers(headers)) });
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

/** Resolves when the condition holds. */
function until(isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = chat.subscribe(() => {
      if (!isSo()) return;
      stop();
      resolve();
    });
  });
}

async function say(text: string): Promise<Reply> {
  chat.write({ text });
  expect(chat.send()).toBe(true);
  return over();
}

async function over(): Promise<Reply> {
  if (chat.isRunning) await until(() => !chat.isRunning);
  if (chat.lastReply === undefined) throw new Error("nothing was asked");
  return chat.lastReply;
}

describe("a conversation with the gateway", () => {
  it("separates text and thinking, and has the usage and the request id", async () => {
    const reply = await say("[[think Hm.]] [[say <b>A bird.</b>]] [[usage 900 20 700 0 5]]");
    expect(reply).toMatchObject({
      state: "complete",
      finish: "stop",
      problem: undefined,
      usage: { inputTokens: 900, cachedTokens: 700, outputTokens: 20 },
      facts: { model: "auto", continuity: "cold:new", requestId: expect.stringMatching(/^[\w-]{8,}$/) },
    });
    expect([reply.text.whole, reply.thinking.whole]).toEqual(["<b>A bird.</b>", "Hm."]);
    const kinds = reply.events.kept.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(["start", "thinking", "text", "finish", "usage", "done"]));
    expect(reply.events.kept[0]?.atMs).toBe(reply.firstByteMs);
    expect(reply.totalMs).toBeGreaterThanOrEqual(reply.firstByteMs ?? Number.POSITIVE_INFINITY);
    expect(chat).toMatchObject({ draft: { text: "", pictures: [] }, obstacle: undefined });
  });

  it("waits for the results of several calls, and continues warm", async () => {
    chat.set({ offersTool: true, system: "Be terse." });
    const first = await say(
      '[[say Wait.]] [[call get_weather {"city":"Lisbon"}]] [[call get_weather {"city":"Porto"}]] then [[say Both are fine.]]',
    );
    expect(first).toMatchObject({ state: "complete", finish: "tool_calls" });
    expect(first.calls.map(({ name, arguments: json }) => [name, JSON.parse(json)])).toEqual([
      ["get_weather", { city: "Lisbon" }],
      ["get_weather", { city: "Porto" }],
    ]);
    expect(chat.waiting).toBe(first);
    chat.write({ text: "something else" });
    expect([chat.send(), chat.obstacle]).toEqual([false, expect.stringContaining("enter it above")]);

    chat.answer(["17 degrees", "16 degrees"]);
    const second = await over();
    expect(second).toMatchObject({ state: "complete", facts: { continuity: "warm" } });
    expect(second.text.whole).toBe(
      "Result of get_weather: 17 degrees\nResult of get_weather: 16 degrees\nBoth are fine.",
    );
    expect(chat.waiting).toBeUndefined();
    expect(await say("[[say Bye.]]")).toMatchObject({ state: "complete", facts: { continuity: "warm" } });
    expect(chat.items.map(({ by }) => by)).toEqual(["person", "model", "tools", "model", "person", "model"]);
  });

  it("takes an image and an effort", async () => {
    const dataUrl =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
    const model = models.find(({ efforts }) => efforts.includes("high"));
    chat.set({ model: model?.id ?? "", effort: "high" });
    chat.addPicture({ name: "dot.png", bytes: 70, dataUrl });
    const reply = await say("Which colour fills this picture?");
    expect(reply).toMatchObject({ state: "complete", body: { model: model?.id, reasoning_effort: "high" } });
    expect(reply.facts?.warnings).toBeUndefined();
    expect(reply.text.whole).not.toBe("I see no picture.");
    expect(chat.pictureBytes).toBe(70);
  });

  it("can be stopped and repeated", async () => {
    chat.write({ text: "[[say Half]] [[wait 600000]]" });
    chat.send();
    const first = chat.lastReply;
    await new Promise<void>((resolve) => first?.text.subscribe(resolve));
    chat.stop();
    expect(await over()).toMatchObject({ state: "stopped", problem: undefined });
    expect(first?.text.whole).toBe("Half");
    chat.again();
    expect(chat.lastReply).not.toBe(first);
    expect(chat.lastReply?.body).toEqual(first?.body);
    chat.clear();
    expect(chat).toMatchObject({ items: [], isRunning: false });
  });

  it("shows the error of a rejected request", async () => {
    chat.know([{ ...(models[0] as (typeof models)[number]), id: "no-such-model" }]);
    const reply = await say("hello");
    expect(reply.state).toBe("failed");
    const message = expect.stringContaining("no-such-model");
    expect(reply.problem).toMatchObject({ details: { code: "model_not_found" }, message });
    expect(reply.facts?.requestId).toMatch(/^[\w-]{8,}$/);
  });

  it("shows an error in the middle of a reply, and keeps its text", async () => {
    const reply = await say("[[say Half an]] [[fail unavailable]]");
    expect(reply.state).toBe("failed");
    expect([reply.problem?.details.code, reply.problem?.message]).toEqual([
      expect.stringMatching(/\w/),
      expect.stringMatching(/\w/),
    ]);
    expect(reply.text.whole).toBe("Half an");
  });
});

describe("an obstacle", () => {
  it("is a missing model, an invalid tool, or an image for a model without image support", () => {
    expect(chat.obstacle).toBeUndefined();
    chat.set({ offersTool: true, tool: { ...chat.settings.tool, schema: "{" } });
    expect(chat.obstacle).toContain("fix it in the settings");
    chat.set({ offersTool: false });
    chat.addPicture({ name: "a.png", bytes: 1, dataUrl: "data:" });
    chat.know(models.map((model) => ({ ...model, seesImages: false })));
    expect(chat.obstacle).toContain("does not support images");
    chat.know([]);
    expect([chat.obstacle, chat.send()]).toEqual(["Choose a model first.", false]);
  });
});

describe("the choice of a model", () => {
  it("defaults to the first one, and keeps an effort only if the model has it", () => {
    expect(chat.model).toBe(models[0]);
    const [one, other] = models.filter(({ efforts }) => efforts.includes("high"));
    chat.set({ model: one?.id ?? "", effort: "high" });
    chat.set({ model: other?.id ?? "" });
    expect(chat.settings.effort).toBe("high");
    chat.know(models);
    expect(chat.model).toBe(other);
    chat.set({ model: models.find(({ efforts }) => efforts.length === 0)?.id ?? "" });
    expect(chat.settings.effort).toBe("");
  });
});
