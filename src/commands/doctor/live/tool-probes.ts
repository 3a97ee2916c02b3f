import type { ToolResult } from "../../../turn/blocks.js";
import type { Message, ToolDefinition } from "../../../turn/turn.js";
import { broken, type Probe, passes, said, unclear, user } from "./probe.js";
import { ASIDE } from "./talk-probes.js";

const CANCEL_MS = 5_000;

const weather = cityTool("get_weather", "Tells the weather in a city.");
const time = cityTool("get_local_time", "Tells the local time in a city.");
/** Words that a model cannot know from anywhere else. */
const answers: Readonly<Record<string, string>> = {
  [weather.name]: "Rain at 11 degrees, station Kittiwake.",
  [time.name]: "A quarter past nine by the clock of Plover.",
};

export const parkedCall: Probe = {
  claims: [{ name: "tool call", claim: "A run waits while the client runs a tool, and goes on with its result" }],
  turns: 1,
  async *run(lab) {
    const question = user("Please use the get_weather tool for the city of Bergen, then repeat what it said.");
    const asked = await lab.ask({ messages: [question], tools: [weather] });
    const { parkedRuns } = lab;
    if (asked.calls.length === 0) return yield broken("The model called no tool.", asked.text);
    const messages = [question, said(asked), results(asked.calls)];
    const heard = await lab.ask({ messages, tools: [weather] });
    if (parkedRuns === 0 || heard.continuity !== "warm") yield broken(`The run did not wait (${heard.continuity}).`);
    else if (!/kittiwake/i.test(heard.text)) yield broken("The result did not reach the model.", heard.text);
    else yield passes("The same run went on.", heard.text);
  },
};

export const parallelCalls: Probe = {
  claims: [{ name: "parallel calls", claim: "A model makes several calls at once" }],
  turns: 1,
  async *run(lab) {
    const tools = [weather, time];
    const question =
      "Find out the weather and the local time in Bergen, with both tools at the same time, then repeat both.";
    const calls = tools.map(({ name }) => `[[call ${name} {"city":"Bergen"}]]`).join(" ");
    const messages: Message[] = [user(`${question}\n${ASIDE} ${calls}`)];
    let heard = await lab.ask({ messages, tools });
    const atOnce = heard.calls.length;
    // A model that makes the calls one after the other needs another round.
    for (let round = 0; round < 3 && heard.calls.length > 0; round++) {
      messages.push(said(heard), results(heard.calls));
      heard = await lab.ask({ messages, tools });
    }
    if (atOnce === 0) yield broken("The model called no tool.", heard.text);
    else if (!/kittiwake/i.test(heard.text) || !/plover/i.test(heard.text)) {
      yield broken("A result did not reach the model.", heard.text);
    } else if (atOnce === 1) yield unclear("The model made them one after the other.", heard.text);
    else yield passes(`${atOnce} calls in one reply.`, heard.text);
  },
};

export const cancelled: Probe = {
  claims: [{ name: "cancel", claim: "A turn ends at once when its client leaves" }],
  turns: 1,
  async *run(lab) {
    const leaving = new AbortController();
    const question = "Please write the numbers from 1 to 300 as words, separated by commas.";
    const messages = [user(`${question}\n${ASIDE} [[stream 300000]]`)];
    const { events } = await lab.begin({ messages }, leaving.signal);
    const iterator = events[Symbol.asyncIterator]();
    await iterator.next();
    const leftMs = performance.now();
    leaving.abort();
    const isOver = drained(iterator);
    const hasEnded = await Promise.race([isOver, after(CANCEL_MS)]);
    yield hasEnded
      ? passes(`After ${Math.max(1, Math.round(performance.now() - leftMs))} ms.`)
      : broken(`It went on for more than ${CANCEL_MS / 1_000} s.`);
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

function cityTool(name: string, description: string): ToolDefinition {
  const properties = { city: { type: "string", description: "Name of the city" } };
  return { name, description, inputSchema: { type: "object", properties, required: ["city"] } };
}

function results(calls: readonly { id: string; name: string }[]): Message {
  const toResult = ({ id, name }: { id: string; name: string }): ToolResult => ({
    callId: id,
    content: [{ type: "text", text: answers[name] ?? "There is no such tool." }],
    isError: !Object.hasOwn(answers, name),
  });
  return { role: "tool", results: calls.map(toResult) };
}
