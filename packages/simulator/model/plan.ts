// model/: what the simulated model says and asks. The agent, the chat calls and the CLI all use it.
import { describeResults, undirectedAnswer } from "./answer.js";
import { scanDirectives, type TurnUsage } from "./directives.js";
import {
  findAskedCall,
  findAskedDescription,
  findAskedSchema,
  findFittingTool,
  findNamedTool,
  findNamedTools,
  findStandingDemand,
} from "./plain-words.js";
import { nextAsks, type RepeatedAsk } from "./progress.js";
import { readRequests } from "./requests.js";
import { sampleArgs, sampleOf } from "./sample.js";
import { type Act, type Ask, notOffered, readScript, type Script, type Step, say } from "./script.js";
import { describeTool, knownSchema } from "./tool-knowledge.js";
import { findTool, type Tool } from "./tools.js";
import { type Entry, separateUserWords, type ToolResult } from "./transcript.js";

/** Everything that the simulated model uses. The conversation is its only memory. */
export interface Situation {
  entries: readonly Entry[];
  tools: readonly Tool[];
  /** The caller's system prompts. */
  given: readonly string[];
  isFallback: boolean;
}

/** One model call: first its acts, then its questions. A plan without questions ends the turn. */
export interface Plan {
  acts: readonly Act[];
  asks: readonly RepeatedAsk[];
  usage: TurnUsage | undefined;
  /** Set when the model has refused, which ends the turn. */
  isRefused?: true;
}

/** Plans the next model call of the task that the newest user message began, or added to. */
export function planModelCall(given: Situation): Plan {
  const entries = separateUserWords(given.entries);
  const situation = { ...given, entries };
  const task = taskOf(entries);
  const turn = entries.slice((task[0]?.at ?? -1) + 1);
  const script = scriptOf(task, situation);
  const { asks: unanswered, next } = nextAsks(script.steps, turn, situation.tools);
  if (unanswered.length > 0) return { acts: [], asks: unanswered, usage: script.usage };

  const acts: Act[] = [];
  const results = trailingResults(turn);
  const structured = structuredAnswer(situation, script);
  const rest = script.steps.slice(next);
  // A stream that breaks off after results does so before the model describes them.
  for (let act = breakAt(rest[0]); act !== undefined; act = breakAt(rest[0])) {
    acts.push(act);
    rest.shift();
  }
  if (structured === undefined && results.length > 0) acts.push({ type: "say", text: describeResults(results) });
  for (const step of rest) {
    if (step.type === "asks") return { acts, asks: step.asks.map((ask) => ({ ask })), usage: script.usage };
    if (step.act.type === "refuse") {
      acts.push({ type: "say", text: step.act.text });
      return { acts, asks: [], usage: script.usage, isRefused: true };
    }
    acts.push(step.act);
  }
  if (structured !== undefined) acts.push({ type: "say", text: structured });
  else if (script.steps.length === 0 && results.length === 0) {
    acts.push({ type: "say", text: undirectedAnswer(situation) });
  }
  return { acts, asks: [], usage: script.usage };
}

function breakAt(step: Step | undefined): Act | undefined {
  if (step?.type !== "act") return undefined;
  return ["drop", "end", "goaway"].includes(step.act.type) ? step.act : undefined;
}

interface Words {
  text: string;
  at: number;
}

const ADDING = /\b(?:also|as well|in addition|go on|carry on|keep going|continue)\b/i;

/** The messages with the model's task: the newest or, where words during a tool round only add to it, all from its beginning. */
function taskOf(entries: readonly Entry[]): Words[] {
  const at = entries.findLastIndex(({ role }) => role === "user");
  const newest = entries[at];
  if (newest?.role !== "user") return [];
  const isAdded = entries[at - 1]?.role === "tool" && ADDING.test(newest.text);
  return [...(isAdded ? taskOf(entries.slice(0, at)) : []), { text: newest.text, at }];
}

/** What words add is done last. Words without a known request are answered, as any others are. */
function scriptOf(task: readonly Words[], situation: Situation): Script {
  const scripts = task.map(({ text }) => scriptOfWords(text, situation));
  const steps = scripts.flatMap((script, index) =>
    index > 0 && script.steps.length === 0 ? [say(undirectedAnswer(situation))] : script.steps,
  );
  return { steps, usage: scripts.findLast(({ usage }) => usage !== undefined)?.usage };
}

function scriptOfWords(text: string, { entries, tools, given, isFallback }: Situation): Script {
  const script = readScript(scanDirectives(text), tools);
  if (script.steps.length > 0 || isFallback) return script;
  const requested = readRequests(text, { entries, tools, given });
  if (requested.length > 0) return { ...script, steps: requested };
  const demanded = counts(entries, "ignore") ? undefined : findAskedCall(text, tools, calledIn(entries));
  if (demanded !== undefined) return { ...script, steps: [sampleCalls([demanded], given)] };
  const described = findAskedDescription(text, tools);
  if (described !== undefined) return { ...script, steps: [say(describeTool(described, given))] };
  const named = findNamedTools(text, tools);
  if (named.length > 0) return { ...script, steps: [sampleCalls(named, given)] };
  const name = findNamedTool(text);
  if (name !== undefined) {
    const tool = findTool(tools, name);
    return { ...script, steps: [tool === undefined ? say(notOffered(name)) : sampleCalls([tool], given)] };
  }
  const wanted = findFittingTool(text, tools) ?? findStandingDemand(text, given, tools);
  return wanted === undefined ? script : { ...script, steps: [sampleCalls([wanted], given)] };
}

function calledIn(entries: readonly Entry[]): Set<string> {
  const parts = entries.flatMap((entry) => (entry.role === "assistant" ? entry.parts : []));
  return new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : [])));
}

/** Calls all of them at once, with arguments that fit. */
function sampleCalls(tools: readonly Tool[], given: readonly string[]): Step {
  const asks = tools.map((tool): Ask => {
    const args = sampleArgs(knownSchema(tool, given));
    return { type: "call", tool, label: tool.name, args, afterMs: 0, isPartial: false };
  });
  return { type: "asks", asks };
}

/** The answer to a request for JSON, unless directives give the answer. */
function structuredAnswer({ entries, given }: Situation, { steps }: Script): string | undefined {
  const isSpoken = steps.some((step) => step.type === "act" && ["say", "stream", "refuse"].includes(step.act.type));
  const schema = isSpoken ? undefined : findAskedSchema([newestWords(entries), ...given]);
  if (schema === undefined) return undefined;
  if (counts(entries, "badjson")) return '{"unfit":';
  return JSON.stringify(sampleOf(schema));
}

/** `[[badjson N]]` and `[[ignore N]]` count from their own message: each later user message asks once more. */
function counts(entries: readonly Entry[], type: "badjson" | "ignore"): boolean {
  const users = entries.filter((entry) => entry.role === "user");
  return users.some(({ text }, index) =>
    scanDirectives(text).some(({ directive }) => directive.type === type && users.length - 1 - index < directive.count),
  );
}

function newestWords(entries: readonly Entry[]): string {
  const newest = entries.findLast((entry) => entry.role === "user");
  return newest?.role === "user" ? newest.text : "";
}

/** The results that the model has not commented on yet. */
function trailingResults(turn: readonly Entry[]): ToolResult[] {
  const spoken = turn.findLastIndex(({ role }) => role === "assistant");
  return turn.slice(spoken + 1).flatMap((entry) => (entry.role === "tool" ? entry.results : []));
}
