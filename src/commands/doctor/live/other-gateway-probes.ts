import { said, user } from "./lab.js";
import { asExpected, notShown, otherwise, type Probe, type ProbeBench, type Verdict } from "./probe.js";
import { expected, prompts } from "./probe-texts.js";
import { has } from "./talk-probes.js";

export const restart: Probe = {
  claims: [{ name: "restart", claim: "A conversation goes on from its checkpoint after a restart" }],
  turns: 2,
  async *run({ withOther }) {
    const question = user(prompts.word);
    const first = await withOther({}, (lab) => lab.ask({ messages: [question] }));
    const messages = [question, said(first), user(prompts.again)];
    const { text, continuity } = await withOther({}, (lab) => lab.ask({ messages }));
    if (continuity !== "warm") yield otherwise(`The history was sent again (${continuity}).`, text);
    else if (!has(text, expected.word)) yield otherwise("The model does not remember the first turn.", text);
    else yield asExpected("Another gateway continued it, and nothing was sent again.", text);
  },
};

export const http2Run: Probe = overTransport("h2", { name: "http/2 run", claim: "A run goes over HTTP/2" });
export const http1Run: Probe = overTransport("h1", { name: "http/1.1 run", claim: "A run goes over HTTP/1.1" });

function overTransport(transport: "h1" | "h2", claim: Probe["claims"][number]): Probe {
  return {
    claims: [claim],
    turns: 1,
    async *run(bench) {
      yield await runOver(bench, transport);
    },
  };
}

/** One turn with this transport, unless a turn has gone over it already. */
async function runOver({ watch, withOther }: ProbeBench, transport: "h1" | "h2"): Promise<Verdict> {
  if (watch.runs.length === 0) return notShown("Only the agent backend has runs.");
  const http = transport === "h2" ? "2" : "1.1";
  const isSeen = () => watch.runs.some((run) => run.http === http && run.turnEndedMs !== undefined);
  if (isSeen()) return asExpected("Earlier turns went over it.");
  const { text } = await withOther({ transport }, (lab) => lab.ask({ messages: [user(prompts.word)] }));
  if (!isSeen()) return otherwise("The turn went over the other HTTP version.", text);
  return has(text, expected.word) ? asExpected("A turn went over it.", text) : otherwise("The answer is wrong.", text);
}
