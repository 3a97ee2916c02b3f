// Requests one after another: what each costs, and how long its first byte takes.
import { send, textOf } from "../client.js";
import { dialects } from "../dialects.js";
import { perUnit, startMeter } from "../meter.js";
import { agentTurn, callingConversation, conversation, goOn, manyTools, shortRequest } from "../requests.js";
import { median } from "../statistics.js";
import { spokenText } from "../upstream/spec.js";

const { chat } = dialects;
const RESULT = "A line of a file that was read. ".repeat(64);

/** `bodies` makes the requested number of bodies before the measurement. `continuity` is what Curlew must report for each. */
export const requestScenarios = [
  ...Object.values(dialects).map((dialect) => ({
    name: `short-${dialect.name}`,
    title: `Short request, ${dialect.name}, streamed`,
    dialect,
    count: 600,
    bodies: async (_target, numbers) => numbers.map((number) => shortRequest(dialect, number)),
    continuity: /^cold/,
  })),
  {
    name: "short-chat-whole",
    title: "Short request, chat, whole",
    dialect: chat,
    count: 600,
    bodies: async (_target, numbers) => numbers.map((number) => shortRequest(chat, number, { isStreamed: false })),
    continuity: /^cold/,
  },
  agentScenario("agent-new", "15 tools, context question, checkpoint: new conversation", {
    length: 1,
    isWarm: false,
    count: 300,
  }),
  agentScenario("agent-warm-20", "15 tools, context question, checkpoint: 20 messages, warm", {
    length: 20,
    isWarm: true,
    count: 300,
  }),
  ...Object.values(dialects).map(resultScenario),
  agentScenario("history-200-cold", "200 messages, cold", { length: 200, isWarm: false, count: 20 }),
  agentScenario("history-200-warm", "200 messages, warm", { length: 200, isWarm: true, count: 60 }),
  agentScenario("history-2000-cold", "2,000 messages, cold", { length: 2_000, isWarm: false, count: 4 }),
  agentScenario("history-2000-warm", "2,000 messages, warm", { length: 2_000, isWarm: true, count: 12 }),
];

/** Requests that could block the event loop for long: the largest have 4 MiB and 100 tools. */
export const stretchScenarios = [
  ...requestScenarios.filter(({ name, messages }) => name === "short-chat" || messages !== undefined),
  ...Object.values(dialects).flatMap((dialect) =>
    [false, true].map((isWarm) => {
      const kind = isWarm ? "warm" : "cold";
      const title = `2,000 messages of 2 KiB and 100 tools, ${dialect.name}, ${kind}`;
      const options = { length: 2_000, isWarm, count: 4, messageBytes: 2_048, tools: manyTools(100), dialect };
      return agentScenario(`largest-${dialect.name}-${kind}`, title, options);
    }),
  ),
];

/** Growth is most visible with many short messages. */
export function growthScenario(length, { isWarm }) {
  return agentScenario(`${length}-${isWarm ? "warm" : "cold"}`, "", { length, isWarm, count: 1, messageBytes: 60 });
}

/** Long histories have no tools unless they are given, so that only the history is measured. */
function agentScenario(name, title, { length, isWarm, count, messageBytes, tools, dialect = chat }) {
  const options = { dialect, ...((tools ?? length >= 200) && { tools: tools ?? [] }) };
  return {
    name,
    title,
    dialect,
    count,
    messages: length,
    async bodies(target, numbers) {
      if (!isWarm) return numbers.map((number) => agentTurn(conversation(length, number, { messageBytes }), options));
      // One conversation that is known up to its last reply, and many continuations of it.
      const begun = conversation(length - 2, numbers[0], { messageBytes });
      await send(target, dialect, agentTurn(begun, options));
      return numbers.map((number) => agentTurn(goOn(begun, number), options));
    },
    continuity: isWarm ? /^warm/ : /^cold/,
  };
}

/** What agents send most: the conversation with the result of a tool, for which a run waits. */
function resultScenario(dialect) {
  return {
    name: `tool-result-${dialect.name}`,
    title: `15 tools, the result of a call: 20 messages, ${dialect.name}`,
    dialect,
    count: 100,
    async bodies(target, numbers) {
      const bodies = [];
      for (const number of numbers) {
        const begun = callingConversation(18, number);
        // Only a gateway has a run that waits. The others answer a result like any other message.
        const id = target.isCurlew ? await callIn(target, dialect, begun) : "call_0";
        bodies.push(agentTurn(dialect.withResult(begun, id, RESULT), { dialect }));
      }
      return bodies;
    },
    continuity: /^warm/,
  };
}

async function callIn(target, dialect, messages) {
  const { raw } = await send(target, dialect, agentTurn(messages, { dialect }));
  const [, id] = dialect.callId.exec(raw) ?? [];
  if (id === undefined) throw new Error(`no tool was called: ${raw.slice(0, 300)}`);
  return id;
}

/** One round: the use per request, and the median time to the first byte. */
export async function measureRequests(target, upstream, scenario, count = scenario.count) {
  const numbers = Array.from({ length: count }, () => newNumber());
  const bodies = await scenario.bodies(target, numbers);
  const meter = await startMeter(target, upstream);
  const replies = [];
  for (const body of bodies) replies.push(await send(target, scenario.dialect, body));
  const used = perUnit(await meter.stop(), count);
  for (const reply of replies) check(scenario, reply);
  return { ...used, firstMs: median(replies.map(({ firstMs }) => firstMs)) };
}

/** The longest time for which one of these requests blocks the event loop. */
export async function measureStretch(target, scenario, count = scenario.count) {
  const { askProbe } = target;
  const numbers = Array.from({ length: count }, () => newNumber());
  const longest = [];
  for (const body of await scenario.bodies(target, numbers)) {
    await askProbe("watch");
    await send(target, scenario.dialect, body);
    longest.push((await askProbe("longest")).longestMs);
  }
  return median(longest);
}

function check({ name, dialect, continuity }, reply) {
  const text = textOf(dialect, reply.raw);
  if (text !== spokenText(1)) throw new Error(`${name}: the reply says ${JSON.stringify(text)}`);
  if (reply.continuity !== undefined && !continuity.test(reply.continuity)) {
    throw new Error(`${name}: the reply went on ${reply.continuity}`);
  }
}

function newNumber() {
  return Math.random().toString(36).slice(2, 12).padEnd(10, "0");
}
