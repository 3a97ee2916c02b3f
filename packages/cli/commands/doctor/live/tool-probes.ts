import { settlesWithin, systemClock } from "@curlew/gateway/system/clock.js";
import type { Message, ToolDefinition } from "@curlew/gateway/turn/turn.js";
import { reasonOf } from "../finding.js";
import {
  asExpected,
  byWord,
  type Heard,
  harmless,
  has,
  isOwnRefusal,
  notShown,
  otherwise,
  type Probe,
  type ProbeBench,
  probe,
  results,
  said,
  user,
  type Verdict,
} from "./lab.js";
import { expected, prompts, tools, wordOf } from "./probe-texts.js";

const { weather, time } = tools;

function calledProbe(
  name: string,
  claim: string,
  turns: number,
  judge: (bench: ProbeBench, asked: Heard, opening: Message[]) => Promise<Verdict>,
): Probe {
  return probe(name, claim, turns, async (bench) => {
    const question = user(prompts.oneCall);
    const asked = await bench.lab.ask({ messages: [question], tools: [weather] });
    if (asked.calls.length === 0) return otherwise("The model called no tool.", asked.text);
    return judge(bench, asked, [question, said(asked)]);
  });
}

export const parkedCall = calledProbe(
  "tool call",
  "A run waits while the client runs a tool, and continues with its result",
  1,
  async ({ lab }, asked, opening) => {
    const { parkedRuns } = lab;
    const heard = await lab.ask({ messages: [...opening, results(asked.calls)], tools: [weather] });
    if (parkedRuns === 0 || heard.continuity !== "warm")
      return otherwise(`The run did not wait (${heard.continuity}).`);
    return byWord(heard.text, wordOf(weather), "The same run continued.", "The result did not reach the model.");
  },
);

export const parallelCalls = probe("parallel calls", "A model makes several calls at once", 1, async ({ lab }) => {
  const offered = [weather, time];
  const messages: Message[] = [user(prompts.twoCalls)];
  const first = await lab.ask({ messages, tools: offered });
  const atOnce = first.calls.length;
  if (atOnce === 0) return otherwise("The model called no tool.", first.text);
  messages.push(said(first), results(first.calls));
  // A model that makes the calls one after the other needs another round.
  const { text } = await lab.askThrough({ messages, tools: offered });
  if (!offered.every((tool) => has(text, wordOf(tool)))) return otherwise("A result did not reach the model.", text);
  if (atOnce === 1) return harmless("The model made them one after the other.", text);
  return asExpected(`${atOnce} calls in one reply.`, text);
});

export const abandonedCall = calledProbe(
  "abandoned call",
  "A conversation continues after a tool call that was never answered",
  2,
  async ({ lab, watch }, _, opening) => {
    const before = watch.runs.at(-1)?.conversationId;
    const { text, continuity } = await lab.ask({ messages: [...opening, user(prompts.leaveIt)], tools: [weather] });
    const isNew = before !== watch.runs.at(-1)?.conversationId;
    const how = `${continuity}, ${isNew ? "with another conversation id" : "with the same conversation id"}`;
    return byWord(text, expected.leaveIt, `It continued (${how}).`, `The answer is a different one (${how}).`);
  },
);

export const typedWords = calledProbe(
  "typed words",
  "Words typed during a tool round reach the model in the same run",
  1,
  async ({ lab }, asked, opening) => {
    const messages = [...opening, results(asked.calls), user(prompts.typed)];
    const { text, continuity } = await lab.ask({ messages, tools: [weather] });
    if (!has(text, expected.typed)) return otherwise(`The model did not follow them (${continuity}).`, text);
    if (continuity !== "warm:steered") return otherwise(`They took another run (${continuity}).`, text);
    return asExpected("The model followed them.", text);
  },
);

const CANCEL_MS = 5_000;

export const cancelled = probe("cancel", "A turn ends at once when its client leaves", 1, async ({ lab, watch }) => {
  const leaving = new AbortController();
  const { events } = await lab.begin({ messages: [user(prompts.count)] }, leaving.signal);
  const iterator = events[Symbol.asyncIterator]();
  await iterator.next();
  const leftMs = performance.now();
  leaving.abort();
  const drain = async () => {
    while ((await iterator.next()).done !== true);
  };
  if (!(await settlesWithin(CANCEL_MS, drain(), systemClock)))
    return otherwise(`It continued for more than ${CANCEL_MS / 1_000} s.`);
  const run = watch.runs.at(-1);
  return run?.ending === "canceled" && run.turnEndedMs === undefined
    ? asExpected(`After ${Math.max(1, Math.round(performance.now() - leftMs))} ms.`)
    : notShown(run === undefined ? "Only the agent backend has runs." : "The turn was over before its client left.");
});

export const description = probe("description", "The description of a tool reaches the model", 1, async ({ lab }) => {
  const { text, calls } = await lab.ask({ messages: [user(prompts.marker)], tools: [tools.tide] });
  if (has(text, expected.lateMarker)) return asExpected("The model quotes its last marker word.", text);
  if (has(text, expected.earlyMarker)) {
    return harmless("Only its first line, which Curlew repeats in a rule: this model gets no descriptions.", text);
  }
  if (calls.length > 0) return notShown("The model called the tool and quoted nothing.", text);
  const advice = "Set dynamicTools for its family in cursor.json.";
  return otherwise(`The model does not know it: it gets tools by name alone. ${advice}`, text);
});

export function combinators(model: string): Probe {
  const claim = `${model} takes a tool whose schema has oneOf, anyOf and allOf`;
  return probe("combinators", claim, 1, async (bench) => {
    try {
      return await useTool(bench, tools.bird, prompts.union, model);
    } catch (thrown) {
      if (!isOwnRefusal(thrown)) throw thrown;
      const advice = "If it takes other turns, name the keywords in schema.refuses of its family in cursor.json.";
      return otherwise(`${thrown.code}: ${reasonOf(thrown)} ${advice}`);
    }
  });
}

export const longName = probe(
  "long name",
  "A tool with a long name is called, and the client gets the call by that name",
  1,
  (bench) => useTool(bench, tools.archive, prompts.onlyTool),
);

async function useTool({ lab }: ProbeBench, tool: ToolDefinition, prompt: string, name?: string): Promise<Verdict> {
  const model = name === undefined ? {} : { model: name };
  const messages: Message[] = [user(prompt)];
  const asked = await lab.ask({ messages, tools: [tool], ...model });
  const [call] = asked.calls;
  if (call === undefined) return otherwise("The model called no tool.", asked.text);
  if (call.name !== tool.name) return otherwise(`The call came under the name ${call.name}.`, asked.text);
  messages.push(said(asked), results(asked.calls));
  const { text } = await lab.askThrough({ messages, tools: [tool], ...model });
  const reached = "It was called, and its result reached the model.";
  return byWord(text, wordOf(tool), reached, "The result did not reach the model.");
}
