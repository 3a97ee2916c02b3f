import type { Message, ToolDefinition } from "../../../turn/turn.js";
import { reasonOf } from "../finding.js";
import {
  asExpected,
  harmless,
  isOwnRefusal,
  notShown,
  otherwise,
  type Probe,
  type ProbeBench,
  results,
  said,
  user,
  type Verdict,
} from "./lab.js";
import { expected, prompts, resultOf, tools } from "./probe-texts.js";
import { has } from "./talk-probes.js";

const { weather, time } = tools;

export const parkedCall: Probe = {
  claims: [{ name: "tool call", claim: "A run waits while the client runs a tool, and goes on with its result" }],
  turns: 1,
  async *run({ lab }) {
    const question = user(prompts.oneCall);
    const asked = await lab.ask({ messages: [question], tools: [weather] });
    const { parkedRuns } = lab;
    if (asked.calls.length === 0) return yield otherwise("The model called no tool.", asked.text);
    const messages = [question, said(asked), results(asked.calls)];
    const heard = await lab.ask({ messages, tools: [weather] });
    if (parkedRuns === 0 || heard.continuity !== "warm") yield otherwise(`The run did not wait (${heard.continuity}).`);
    else if (!hasResult(heard.text, weather.name)) yield otherwise("The result did not reach the model.", heard.text);
    else yield asExpected("The same run went on.", heard.text);
  },
};

export const parallelCalls: Probe = {
  claims: [{ name: "parallel calls", claim: "A model makes several calls at once" }],
  turns: 1,
  async *run({ lab }) {
    const offered = [weather, time];
    const messages: Message[] = [user(prompts.twoCalls)];
    const first = await lab.ask({ messages, tools: offered });
    const atOnce = first.calls.length;
    if (atOnce === 0) return yield otherwise("The model called no tool.", first.text);
    messages.push(said(first), results(first.calls));
    // A model that makes the calls one after the other needs another round.
    const { text } = await lab.askThrough({ messages, tools: offered });
    if (!hasResult(text, weather.name) || !hasResult(text, time.name))
      yield otherwise("A result did not reach the model.", text);
    else if (atOnce === 1) yield harmless("The model made them one after the other.", text);
    else yield asExpected(`${atOnce} calls in one reply.`, text);
  },
};

export const abandonedCall: Probe = {
  claims: [{ name: "abandoned call", claim: "A conversation goes on when a call of the model was never answered" }],
  turns: 2,
  async *run({ lab, watch }) {
    const question = user(prompts.oneCall);
    const asked = await lab.ask({ messages: [question], tools: [weather] });
    if (asked.calls.length === 0) return yield otherwise("The model called no tool.", asked.text);
    const before = watch.runs.at(-1)?.conversationId;
    const messages = [question, said(asked), user(prompts.leaveIt)];
    const { text, continuity } = await lab.ask({ messages, tools: [weather] });
    const isNew = before !== watch.runs.at(-1)?.conversationId;
    const how = `${continuity}, ${isNew ? "with another conversation id" : "with the same conversation id"}`;
    yield has(text, expected.leaveIt)
      ? asExpected(`It went on (${how}).`, text)
      : otherwise(`The answer is another one (${how}).`, text);
  },
};

export const typedWords: Probe = {
  claims: [{ name: "typed words", claim: "Words typed during a tool round reach the model in the same run" }],
  turns: 1,
  async *run({ lab }) {
    const question = user(prompts.oneCall);
    const asked = await lab.ask({ messages: [question], tools: [weather] });
    if (asked.calls.length === 0) return yield otherwise("The model called no tool.", asked.text);
    const messages = [question, said(asked), results(asked.calls), user(prompts.typed)];
    const { text, continuity } = await lab.ask({ messages, tools: [weather] });
    if (!has(text, expected.typed)) yield otherwise(`The model did not follow them (${continuity}).`, text);
    else if (continuity !== "warm:steered") yield otherwise(`They took another run (${continuity}).`, text);
    else yield asExpected("The model followed them.", text);
  },
};

const CANCEL_MS = 5_000;

export const cancelled: Probe = {
  claims: [{ name: "cancel", claim: "A turn ends at once when its client leaves" }],
  turns: 1,
  async *run({ lab, watch }) {
    const leaving = new AbortController();
    const { events } = await lab.begin({ messages: [user(prompts.count)] }, leaving.signal);
    const iterator = events[Symbol.asyncIterator]();
    await iterator.next();
    const leftMs = performance.now();
    leaving.abort();
    const hasEnded = await Promise.race([drained(iterator), after(CANCEL_MS)]);
    if (!hasEnded) return yield otherwise(`It went on for more than ${CANCEL_MS / 1_000} s.`);
    const run = watch.runs.at(-1);
    yield run?.ending === "canceled" && run.turnEndedMs === undefined
      ? asExpected(`After ${Math.max(1, Math.round(performance.now() - leftMs))} ms.`)
      : notShown(run === undefined ? "Only the agent backend has runs." : "The turn was over before its client left.");
  },
};

async function drained(iterator: AsyncIterator<unknown>): Promise<true> {
  try {
    while ((await iterator.next()).done !== true);
  } catch {
    // A turn that was cut ends with this error.
  }
  return true;
}

function after(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());
}

function hasResult(text: string, tool: string): boolean {
  return has(text, resultOf(tool)?.word ?? tool);
}

export const description: Probe = {
  claims: [{ name: "description", claim: "The description of a tool reaches the model" }],
  turns: 1,
  async *run({ lab }) {
    const { text, calls } = await lab.ask({ messages: [user(prompts.marker)], tools: [tools.tide] });
    const isWhole = has(text, expected.lateMarker);
    if (isWhole) yield asExpected("The model quotes its last marker word.", text);
    else if (has(text, expected.earlyMarker))
      yield harmless("Only its first line, which Curlew repeats in a rule: this model gets no descriptions.", text);
    else if (calls.length > 0) yield notShown("The model called the tool and quoted nothing.", text);
    else
      yield otherwise(
        "The model knows no word of it: it gets tools by name alone. Set dynamicTools for its family in cursor.json.",
        text,
      );
  },
};

export function combinators(model: string): Probe {
  return {
    claims: [{ name: "combinators", claim: `${model} takes a tool whose schema has oneOf, anyOf and allOf` }],
    turns: 1,
    async *run(bench) {
      try {
        yield await useTool(bench, { tool: tools.bird, prompt: prompts.union, model });
      } catch (thrown) {
        if (!isOwnRefusal(thrown)) throw thrown;
        const advice = "If it takes other turns, name the keywords in schema.refuses of its family in cursor.json.";
        yield otherwise(`${thrown.code}: ${reasonOf(thrown)} ${advice}`);
      }
    },
  };
}

export const longName: Probe = {
  claims: [
    { name: "long name", claim: "A tool with a long name is called, and the client gets the call by that name" },
  ],
  turns: 1,
  async *run(bench) {
    yield await useTool(bench, { tool: tools.archive, prompt: prompts.onlyTool });
  },
};

interface ToolUse {
  readonly tool: ToolDefinition;
  readonly prompt: string;
  readonly model?: string;
}

async function useTool({ lab }: ProbeBench, { tool, prompt, ...model }: ToolUse): Promise<Verdict> {
  const messages: Message[] = [user(prompt)];
  const asked = await lab.ask({ messages, tools: [tool], ...model });
  const [call] = asked.calls;
  if (call === undefined) return otherwise("The model called no tool.", asked.text);
  if (call.name !== tool.name) return otherwise(`The call came under the name ${call.name}.`, asked.text);
  messages.push(said(asked), results(asked.calls));
  const { text } = await lab.askThrough({ messages, tools: [tool], ...model });
  return has(text, resultOf(tool.name)?.word ?? tool.name)
    ? asExpected("It was called, and its result reached the model.", text)
    : otherwise("The result did not reach the model.", text);
}
