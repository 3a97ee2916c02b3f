import { scanJsonObject } from "./json-scan.js";
import { type Ask, notOffered, type Step, say } from "./script.js";
import { findTool, type Tool } from "./tools.js";
import type { Entry } from "./transcript.js";

/** What a model needs to know to do what it is asked. */
interface Knowledge {
  readonly entries: readonly Entry[];
  readonly tools: readonly Tool[];
  readonly given: readonly string[];
}

/** One request, and where its words begin. */
interface Request {
  readonly at: number;
  readonly steps: readonly Step[];
}

type Reader = (text: string, knowledge: Knowledge) => readonly Request[];

const readers: readonly Reader[] = [
  readWords,
  readGreeting,
  readCalls,
  readMemory,
  readName,
  readSum,
  readCount,
  readColour,
];

/** Does what plain sentences ask for, in their order, as any model would. Sentences that ask for nothing known are ignored. */
export function readRequests(text: string, knowledge: Knowledge): Step[] {
  const requests = readers.flatMap((read) => read(text, knowledge));
  return requests.toSorted((a, b) => a.at - b.at).flatMap(({ steps }) => steps);
}

/** "Reply with exactly: TEXT", up to the end of the line. */
function readWords(text: string): Request[] {
  return [...text.matchAll(/\breply with exactly: ?/gi)].map(({ index, 0: start }) => {
    const [line = ""] = text.slice(index + start.length).split("\n", 1);
    return { at: index, steps: [say(line.trim())] };
  });
}

/** "Say hello in one short sentence". */
function readGreeting(text: string): Request[] {
  const at = text.search(/\bsay hello in one (?:short )?sentence\b/i);
  return at === -1 ? [] : [{ at, steps: [say("Hello from the simulator, which answers in place of a model.")] }];
}

/** "Call the tool NAME with {json}", or "your only tool". Calls are parallel unless "then" stands between them. */
function readCalls(text: string, { tools }: Knowledge): Request[] {
  const groups: { at: number; end: number; asks: Ask[] }[] = [];
  const missing: Request[] = [];
  for (const { index, 0: start, 1: name } of text.matchAll(
    /\b(?:call|and) (?:your only tool|the tool ([\w.-]{1,200})) with (?=\{)/gi,
  )) {
    const read = scanJsonObject(text, index + start.length);
    const tool = name === undefined ? tools[0] : findTool(tools, name);
    if (read === undefined) continue;
    if (tool === undefined) {
      missing.push({ at: index, steps: [say(notOffered(name ?? "any"))] });
      continue;
    }
    const ask: Ask = { type: "call", tool, label: tool.name, args: read.value, afterMs: 0, isPartial: false };
    const last = groups.at(-1);
    if (last !== undefined && !/\bthen\b/i.test(text.slice(last.end, index))) {
      last.asks.push(ask);
      last.end = read.end;
    } else groups.push({ at: index, end: read.end, asks: [ask] });
  }
  return [...missing, ...groups.map(({ at, asks }): Request => ({ at, steps: [{ type: "asks", asks }] }))];
}

/** "Repeat your previous reply". */
function readMemory(text: string, { entries }: Knowledge): Request[] {
  const at = text.search(/\brepeat your (?:previous|last) reply\b/i);
  if (at === -1) return [];
  const now = entries.findLastIndex(({ role }) => role === "user");
  const said = entries.slice(0, now).flatMap((entry) => (entry.role === "assistant" ? entry.parts : []));
  const last = said.findLast((part) => part.type === "text");
  return [{ at, steps: [say(last?.type === "text" ? last.text : "I have not replied yet.")] }];
}

/** "What is your name?", by the newest system prompt that gives one. */
function readName(text: string, { given }: Knowledge): Request[] {
  const at = text.search(/\bwhat is your name\b/i);
  if (at === -1) return [];
  const names = given.flatMap((prompt) => [...prompt.matchAll(/\byour name is (\w+)/gi)].map(([, name]) => name));
  const name = names.at(-1);
  return [{ at, steps: [say(name === undefined ? "I have no name." : `My name is ${name}.`)] }];
}

/** "How much is 17 * 23?" */
function readSum(text: string): Request[] {
  return [...text.matchAll(/\bhow much is (\d{1,6}) ?([+*]) ?(\d{1,6})/gi)].map(({ index, 1: a, 2: sign, 3: b }) => {
    const value = sign === "*" ? Number(a) * Number(b) : Number(a) + Number(b);
    const thought: Step = { type: "act", act: { type: "think", text: `${a} ${sign} ${b} makes ${value}.` } };
    return { at: index, steps: [thought, say(String(value))] };
  });
}

const COUNT_STEP = 10;
const COUNT_STEP_MS = 20;

/** "Count from 1 to 300": it takes its time, as models do. */
function readCount(text: string): Request[] {
  return [...text.matchAll(/\bcount from (\d{1,4}) to (\d{1,4})\b/gi)].map(({ index, 1: from, 2: to }) => {
    const steps: Step[] = [];
    for (let first = Number(from); first <= Number(to); first += COUNT_STEP) {
      const count = Math.min(COUNT_STEP, Number(to) - first + 1);
      steps.push(say(Array.from({ length: count }, (_, more) => `${first + more}, `).join("")));
      steps.push({ type: "act", act: { type: "wait", ms: COUNT_STEP_MS } });
    }
    return { at: index, steps };
  });
}

/** "Which colour fills this picture?" */
function readColour(text: string, { entries }: Knowledge): Request[] {
  const at = text.search(/\b(?:which|what) colou?r\b/i);
  const newest = entries.findLast((entry) => entry.role === "user");
  if (at === -1 || newest?.role !== "user") return [];
  const [image] = newest.images;
  const seen = image === undefined ? "I see no picture." : (image.colour ?? "I cannot tell its colour.");
  return [{ at, steps: [say(seen)] }];
}
