import { expect } from "vitest";
import { type BackendCase, flatten, joined, textOf } from "../../../../testing/backends/at-work.js";
import { memoryBlobs, userTurn } from "../../../../testing/backends/scripted/index.js";
import { collect } from "../../turn/collect.js";
import type { SentMessage, SentTurn, ToolDefinition } from "../../turn/turn.js";
import type { Exchange } from "../backend.js";

const schema = { type: "object", properties: { city: { type: "string" } } };
const weather: ToolDefinition = { name: "weather", description: "Tells the weather.", inputSchema: schema };
const population: ToolDefinition = { name: "population", description: "Counts people.", inputSchema: schema };

export const conversationCases = {
  "system prompt": async ({ start }) => {
    const turn = { ...userTurn("Who are you?"), system: "You are a heron named Ardea." };
    expect(await textOf(start(turn))).toContain("heron named Ardea");
  },

  "transcript of earlier turns": async ({ start }) => {
    const messages = [said("My bird is a curlew."), answered("Noted."), said("Which bird is it?")];
    expect(await textOf(start({ ...userTurn(""), messages }))).toMatch(
      /^(?=.*Which bird is it\?).*My bird is a curlew/s,
    );
  },

  "second turn": async ({ start }) => {
    const blobs = memoryBlobs();
    const first = said("My fish is a pike. [[say Noted.]]");
    const events = await flatten(start({ ...userTurn(""), messages: [first] }, { blobs }).events());
    const checkpoint = events.findLast((event) => event.type === "checkpoint");
    const second = said("Which fish is it?");
    // A backend without checkpoints gets the whole transcript.
    const messages = checkpoint === undefined ? [first, answered(joined(events, "text")), second] : [second];
    const turn: SentTurn = { ...userTurn(""), messages };
    expect(await textOf(start(turn, { blobs, state: checkpoint?.state }))).toMatch(
      /Which fish is it\?.*My fish is a pike/s,
    );
  },

  image: async ({ start }) => {
    const image = { type: "image" as const, mimeType: "image/png", data: Buffer.from("89504e470d0a1a0a", "hex") };
    const message: SentMessage = { role: "user", content: [{ type: "text", text: "What is it?" }, image] };
    expect(await textOf(start({ ...userTurn(""), messages: [message] }))).toContain("image/png of 8 bytes");
  },

  tools: async ({ start }) => {
    const exchange = start(turnWith('[[call weather {"city":"Bern"}]] [[say  Done.]]', [weather]));
    const asked = await collect(exchange.events());
    expect(asked.finish).toBe("tool-calls");
    expect(callsIn(asked)).toEqual([["weather", { city: "Bern" }]]);
    expect(exchange.openCalls.map(({ id }) => id)).toEqual(asked.calls.map(({ id }) => id));
    answer(exchange, "weather", "rain over Bern");
    const reply = await collect(exchange.events());
    expect(reply.text).toMatch(/Result of weather: .*rain over Bern.*Done\./s);
    expect([reply.finish, exchange.openCalls]).toEqual(["stop", []]);
  },

  "parallel tools": async ({ start }) => {
    const words = '[[call weather {"city":"Bern"}]] [[call population {"city":"Ulm"}]]';
    const exchange = start(turnWith(words, [weather, population]));
    const asked = await collect(exchange.events());
    expect(new Set(callsIn(asked))).toEqual(
      new Set([
        ["weather", { city: "Bern" }],
        ["population", { city: "Ulm" }],
      ]),
    );
    answer(exchange, "population", "too many to count");
    answer(exchange, "weather", "hail");
    const { text } = await collect(exchange.events());
    expect(text).toMatch(/Result of weather: .*hail/);
    expect(text).toMatch(/Result of population: .*too many to count/);
  },

  "tools in two rounds": async ({ start }) => {
    const words = '[[call weather {"city":"Bern"}]] [[say then]] [[call population {"city":"Ulm"}]]';
    const exchange = start(turnWith(words, [weather, population]));
    const rounds = [];
    for (const name of ["weather", "population"]) {
      rounds.push(callsIn(await collect(exchange.events())).map(([called]) => called));
      answer(exchange, name, `about ${name}`);
    }
    expect(rounds).toEqual([["weather"], ["population"]]);
    expect(await textOf(exchange)).toMatch(/Result of population: .*about population/);
  },
} satisfies Record<string, BackendCase>;

function said(text: string): SentMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

function answered(text: string): SentMessage {
  return { role: "assistant", content: [{ type: "text", text }] };
}

function turnWith(text: string, tools: readonly ToolDefinition[]): SentTurn {
  return { ...userTurn(text), tools };
}

function callsIn({ calls }: Awaited<ReturnType<typeof collect>>): [string, unknown][] {
  return calls.map(({ name, input }) => [name, JSON.parse(input)]);
}

function answer(exchange: Exchange, name: string, text: string): void {
  const call = exchange.openCalls.find((each) => each.name === name);
  expect(call, `an open call of ${name}`).toBeDefined();
  exchange.answer({ callId: call?.id ?? "", content: [{ type: "text", text }], isError: false });
}
