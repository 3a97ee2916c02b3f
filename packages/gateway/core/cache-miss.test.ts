import { expect, it } from "vitest";
import { userTurn } from "../../../testing/backends/scripted/index.js";
import { assistant, tool, user } from "../../../testing/samples/sample-turns.js";
import type { Turn } from "../turn/turn.js";
import { type CacheMiss, cacheMissOf } from "./cache-miss.js";
import type { Continuity } from "./continuity.js";
import type { ColdPlan, ResumePlan } from "./plan.js";
import { type SeenSettings, seenSettings } from "./sessions/positions.js";

const messages = [user("aaaa"), assistant("bbbb"), user("cccc"), assistant("dddd"), user("eeee")];
const turn: Turn = userTurn("", { messages, system: "Be brief.", tools: [tool("tide")] });

const start = {
  conversation: { id: "c", lineage: "l", settings: "", bareKey: "", firstKey: "", knownReminders: new Set<string>() },
  priorCalls: [],
  superseded: undefined,
};
const cold = (continuity: Continuity): ColdPlan => ({ kind: "cold", continuity, messages, ...start });
const resume = (continuity: Continuity, at: number): ResumePlan => ({
  kind: "resume",
  hasOtherTools: false,
  continuity,
  messages: messages.slice(at),
  state: Buffer.of(1),
  ...start,
});
const before = seenSettings(turn, "model");
const changed = (changes: Partial<Turn>) => seenSettings({ ...turn, ...changes }, "model");

it.each<[string, ResumePlan | ColdPlan, SeenSettings | undefined, CacheMiss | undefined]>([
  ["a warm turn", resume("warm", 4), before, undefined],
  ["a warm turn of another model", resume("warm", 4), { ...before, model: "other" }, { changed: "model", tokens: 4 }],
  ["a conversation from elsewhere", cold("cold:new"), undefined, { changed: "unknown" }],
  ["results of calls from elsewhere", cold("cold:unknown-call"), undefined, { changed: "unknown" }],
  ["an edited history", cold("cold:edited"), before, { changed: "messages", tokens: 4 }],
  ["an edit after a checkpoint", resume("cold:edited", 2), before, { changed: "messages", tokens: 2 }],
  ["another system prompt", cold("cold:settings-changed"), changed({ system: "" }), { changed: "system", tokens: 4 }],
  [
    "another system prompt on a resumed state",
    resume("warm:settings-changed", 4),
    changed({ system: "" }),
    { changed: "system", tokens: 4 },
  ],
  ["a run that was resumed", resume("resumed", 4), before, undefined],
  ["other tools", cold("cold:settings-changed"), changed({ tools: [] }), { changed: "tools", tokens: 4 }],
  ["another folder or backend", cold("cold:settings-changed"), before, { changed: "nothing" }],
  ["a lost run", cold("cold:restarted"), before, { changed: "nothing" }],
])("explains %s", (_, plan, seenUnder, miss) => {
  expect(cacheMissOf(plan, turn, "model", { seenUnder })).toEqual(miss);
});
