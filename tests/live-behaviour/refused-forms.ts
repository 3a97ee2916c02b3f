import { expect } from "vitest";
import type { Behaviour, Stage } from "./behaviour.js";

const FABLE = "claude-fable-5-high";

const at = { oneOf: [{ type: "string" }, { type: "object", properties: { line: { type: "integer" } } }] };
const find = {
  name: "find",
  description: "Finds a bird.",
  schema: { type: "object", properties: { at }, required: ["at"] },
};

/** Two messages to a model that the account accepts in one shape of its name. The second must not retry. */
const askTwice = async ({ talk, system }: Stage) => {
  const person = talk({ model: FABLE });
  await person.say("[[say Here.]]");
  expect(system.simulator.stats().runs).toBe(2);
  return (await person.say("[[say And here.]]")).text;
};

/** Forms of a request that Cursor sometimes refuses, and what Curlew sends instead. */
export const refusedForms: readonly Behaviour[] = [
  {
    does: "refuses a request on a Fable model when the schema of any tool has `anyOf`, `oneOf` or `allOf`: the provider's 400 inside `resource_exhausted`",
    sureness: "measured",
    sources: "senpi#952, oh-my-pi#10432, #10467",
    modes: { refuseCombinators: true },
    curlew:
      "Sends these models a schema without combinators that accepts at least as much, and describes the union in its description. Arguments that do not fit the client's own schema are passed on as they are, with a warning",
    seen: { finished: "Result of find: a tern\nDone." },
    runs: 1,
    async play({ talk }) {
      const person = talk({ model: FABLE, tools: [find] });
      const { calls } = await person.say('[[call find {"at":{"line":3}}]] then [[say Done.]]');
      expect(calls).toMatchObject([{ name: "find", input: { at: { line: 3 } } }]);
      return (await person.giveResults("a tern")).text;
    },
  },
  {
    does: "accepts the name of a model in one shape only (base and parameters, a variant's slug, the base alone), and refuses others with `not_found`",
    sources: "pi-cursor#38, jcode#1377, oh-my-pi#9164",
    modes: { modelIds: "parameters", modelIdError: "not-found" },
    curlew:
      "Retries once with the other shape, if it means the same variant, and remembers which one worked. If two are refused, the next request begins with the others",
    seen: { finished: "And here." },
    runs: 3,
    play: askTwice,
  },
  {
    does: "refuses them with `resource_exhausted` and zero tokens",
    sources: "oh-my-pi#9287, #11128, pi-cursor-reins",
    modes: { modelIds: "parameters", modelIdError: "resource-exhausted" },
    curlew: "The same",
    seen: { finished: "And here." },
    runs: 3,
    play: askTwice,
  },
  {
    does: "accepts a variant's slug only if the request says that it is one (`is_variant_string_representation`)",
    sources: "the change log of a gateway of September 2026, on `grok-4.7-high`",
    modes: { modelIds: "variant" },
    curlew:
      "The marked slug is the last shape that is tried, by the request after a refused one, and remembered like the others",
    seen: { finished: "And here." },
    runs: 5,
    async play({ talk }) {
      const person = talk({ model: FABLE });
      await expect(person.say("[[say Here.]]")).rejects.toMatchObject({ status: 404 });
      await person.say("[[say Here.]]");
      return (await person.say("[[say And here.]]")).text;
    },
  },
  {
    does: "refuses runs under the id of a conversation in which a run ended with an unanswered call",
    sources: "opencodex#4874, #4875",
    modes: { refuseReusedIds: true },
    curlew:
      "The conversation then gets a new id, unless the profile says `same` (`conversations.idAfterOpenCall`), and continues from its checkpoint ([decision 4](../decisions/0004-checkpoints-whenever-they-come.md))",
    seen: { finished: "And on." },
    runs: 3,
    async play({ talk, system }) {
      const person = talk({ tools: [find] });
      expect((await person.say('[[call find {"at":"sea"}]]')).calls).toHaveLength(1);
      expect((await person.say("[[say Never mind.]]")).text).toBe("Never mind.");
      const { text } = await person.say("[[say And on.]]");
      expect(system.simulator.stats().conversations).toBe(2);
      return text;
    },
  },
  {
    does: "refuses a conversation's id from then on when its history is compacted while a run waits for a call",
    sources: "senpi#984, #986",
    modes: { refuseReusedIds: true },
    curlew: "The compacted history continues under a new id",
    seen: { finished: "And on." },
    runs: 4,
    async play({ talk, system }) {
      const begun = ["[[say First.]]", "First."] as const;
      const person = talk({ tools: [find] });
      await person.say(begun[0]);
      expect((await person.say('[[call find {"at":"sea"}]]')).calls).toHaveLength(1);
      const compacted = talk({ tools: [find], history: [begun] });
      expect((await compacted.say("[[say Shorter.]]")).text).toBe("Shorter.");
      const { text } = await compacted.say("[[say And on.]]");
      expect(system.simulator.stats().conversations).toBe(2);
      return text;
    },
  },
];
