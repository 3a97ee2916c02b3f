import type { Message } from "../../../turn/turn.js";
import { results, said, user } from "./lab.js";
import { asExpected, harmless, notShown, otherwise, type Probe } from "./probe.js";
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
