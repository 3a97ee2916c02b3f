import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentClientMessageSchema } from "../packages/wire/gen/agent_v1_pb.js";
import { openWholeSystem, startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { rowsOnDisk } from "../testing/store/on-disk.js";
import { packages, type Tool } from "./live-behaviour/talk.js";

const SYSTEM = "You count birds.";
const tools: Tool[] = [
  {
    name: "tide",
    description: "Tells the tide. The marker is heron-17.",
    schema: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
  },
];
const LINE = "- tide(at: string): Tells the tide. The marker is heron-17.";

let system: WholeSystem;
/** The rules of each request context upstream, without our own rule about built-in tools. */
let rules: string[][];
beforeEach(async () => {
  rules = [];
  system = await startWholeSystem({ onClientMessage: (payload) => rules.push(...rulesIn(payload)) });
});
afterEach(() => system.close());

function rulesIn(payload: Uint8Array): string[][] {
  const { message } = fromBinary(AgentClientMessageSchema, payload);
  if (message.case !== "execClientMessage" || message.value.message.case !== "requestContextResult") return [];
  const { result } = message.value.message.value;
  const sent = result.case === "success" ? (result.value.requestContext?.rules ?? []) : [];
  return [sent.slice(1).map(({ content }) => content)];
}

const checkpointsOnDisk = () => rowsOnDisk(system.home);
const talkWith = (model: string, { url = system.url, offered = tools } = {}) =>
  packages.openai(url, { model, system: SYSTEM, tools: offered });

describe("a model that gets only the names of its tools", () => {
  it("gets a line about each tool in the rule with the system prompt", async () => {
    await talkWith("composer-2.5").say("[[say Hello.]]");
    expect(rules).toEqual([[expect.stringMatching(/^You count birds\.\n\nTools that the user's application offers/)]]);
    expect(rules[0]?.[0]?.split("\n").at(-1)).toBe(LINE);
  });

  it.each([
    ["another model", "gpt-5.5-medium", tools],
    ["no tools", "composer-2.5", []],
  ])("is the only one that gets these lines: %s", async (_, model, offered) => {
    await talkWith(model, { offered }).say("[[say Hello.]]");
    expect(rules).toEqual([[SYSTEM]]);
  });

  it("calls them, and the conversation stays warm with an identical rule in every turn", async () => {
    const talk = talkWith("composer-2.5");
    const { calls } = await talk.say('[[call tide {"at":"noon"}]] then [[say High.]]');
    expect(calls).toMatchObject([{ name: "tide", input: { at: "noon" } }]);
    const answered = await talk.giveResults("high");
    expect(answered).toMatchObject({ text: expect.stringMatching(/High\.$/), continuity: "warm" });
    for (const turn of [2, 3]) expect((await talk.say(`[[say Turn ${turn}.]]`)).continuity).toBe("warm");
    expect(system.simulator.stats().runs).toBe(3);
    expect(new Set(rules.map(([rule]) => rule)).size).toBe(1);
    expect(rules[0]?.[0]).toContain(LINE);
  });

  it("knows the purpose and arguments of a tool from these lines alone", async () => {
    const withheld = await openWholeSystem({ dynamicTools: true });
    const asked = "What is the description of the tool tide?";
    const told = await talkWith("composer-2.5", { url: withheld.url }).say(asked);
    expect(told.text).toContain("heron-17");
    const untold = await talkWith("gpt-5.5-medium", { url: withheld.url }).say(asked);
    expect(untold.text).toContain("I have no description of tide.");
    const { calls } = await talkWith("composer-2.5", { url: withheld.url }).say("Please use the tide tool.");
    expect(calls).toMatchObject([{ name: "tide", input: { at: "sample" } }]);
  });

  it("is one of the profile's as long as Cursor does not say, and the conversation stays warm when that changes", async () => {
    const talk = talkWith("composer-2.5");
    await talk.say("[[say Hello.]]");
    await expect.poll(checkpointsOnDisk).toBe(1);
    const overlay = {
      families: { "composer-2.5": { dynamicTools: false }, auto: { match: ["default"], dynamicTools: true } },
    };
    writeFileSync(join(system.home, "cursor.json"), JSON.stringify(overlay), { mode: 0o600 });
    const url = await system.startAnother();
    talk.moveTo(url);
    expect((await talk.say("[[say Hello again.]]")).continuity).toBe("warm");
    expect(rules.map(([rule]) => rule?.includes(LINE))).toEqual([true, false]);
    await talkWith("auto", { url }).say("[[say Hello.]]");
    expect(rules.at(-1)?.[0]).toContain(LINE);
  });
});

describe("what Cursor says of a turn's tools", () => {
  const hasLine = () => rules.map(([rule]) => rule?.includes(LINE));

  it("adds the lines from the second run on for a model that the profile does not name, also after a restart", async () => {
    system.simulator.configure({ dynamicTools: true });
    const talk = talkWith("gpt-5.5-medium");
    await talk.say("[[say Hello.]]");
    expect((await talk.say("What is the description of the tool tide?")).text).toContain("heron-17");
    expect((await talk.say("[[say Hello again.]]")).continuity).toBe("warm");
    await talkWith("gpt-5.5-medium", { url: await system.startAnother() }).say("[[say Hello.]]");
    expect(hasLine()).toEqual([false, true, true, true]);
  });

  it("drops them for a model that the profile names", async () => {
    system.simulator.configure({ dynamicTools: "reported" });
    const talk = talkWith("composer-2.5-fast");
    await talk.say("[[say Hello.]]");
    const { text, continuity } = await talk.say("What is the description of the tool tide?");
    expect({ text, continuity }).toEqual({ text: expect.stringContaining("heron-17"), continuity: "warm" });
    await talkWith("composer-2.5").say("[[say Hello.]]");
    await talkWith("composer-2.5").say("[[say Hello.]]");
    expect(hasLine()).toEqual([true, false, true, true]);
  });

  it("counts only for a turn with tools", async () => {
    system.simulator.configure({ dynamicTools: "reported" });
    await talkWith("composer-2.5", { offered: [] }).say("[[say Hello.]]");
    await talkWith("composer-2.5").say("[[say Hello.]]");
    expect(hasLine()).toEqual([false, true]);
  });

  it("keeps them for `auto` once one of its models has needed them", async () => {
    system.simulator.configure({ dynamicTools: true });
    await fetch(`${system.url}/v1/models`); // what is learned is kept beside the list
    const talk = talkWith("auto");
    await talk.say("[[say Hello.]]");
    system.simulator.configure({ dynamicTools: "reported" });
    for (const turn of [2, 3]) await talk.say(`[[say Turn ${turn}.]]`);
    expect(hasLine()).toEqual([false, true, true]);
  });
});
