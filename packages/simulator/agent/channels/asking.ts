// channels/: the requests of the server during a run (tools, questions to the user, blobs), and the answers to them.
import type { McpArgs, ToolCall } from "@curlew/wire/gen/agent_v1_pb.js";
import { execRequest, findExecKind } from "../../model/exec-kinds.js";
import type { Ask } from "../../model/script.js";
import type { Voice } from "../transport/voice.js";
import type { ExecAnswer, Execs } from "./execs.js";
import type { Queries } from "./queries.js";
import { describeExec, describeResponse } from "./reported-results.js";
import { mcpArgs, viewToolCall } from "./tool-call-view.js";

/** A pending question, under its id in the transcript. */
export interface OpenAsk {
  id: string;
  ask: Ask;
}

export interface Answered {
  open: OpenAsk;
  /** The text that the model reads. */
  text: string;
  view: ToolCall | undefined;
}

interface AskingDeps {
  voice: Voice;
  execs: Execs;
  queries: Queries;
  modelCallId: string;
  /** Whether each client tool call is preceded by an approval question. */
  asksApproval: boolean;
  /** Whether the number of calls is sent before them. */
  listsCalls: boolean;
  /** Pause before each call but the first, unless a directive sets another. */
  callGapMs: number;
  sleep(ms: number): Promise<void>;
  /** Called once the calls are announced: before the first is sent or, with `[[delay-checkpoint]]`, that much later. */
  onStaged(): Promise<void>;
  /** Called for each answer as it comes. */
  onAnswered(answered: Answered): Promise<void>;
}

const PARTIAL_PIECES = 4;

/** Sends all questions at once, except calls after a gap, and resolves when all answers have come. */
export async function askAll(asks: readonly OpenAsk[], deps: AskingDeps): Promise<void> {
  const inbox = new Inbox<Answered | "staged">();
  const fail = (reason: unknown) => inbox.fail(reason);
  const delayMs = stagingDelay(asks);
  const launch = async () => {
    const callCount = asks.filter(({ id, ask }) => viewToolCall(ask, id) !== undefined).length;
    if (deps.listsCalls && callCount > 0) {
      await deps.voice.update({ case: "toolRequestsListed", value: { callCount } });
    }
    for (const [index, wave] of inWaves(asks, deps.callGapMs).entries()) {
      await deps.sleep(index === 0 ? 0 : gapBefore(wave[0], deps.callGapMs));
      for (const open of wave) await announce(open, deps);
      if (index === 0 && delayMs === 0) await deps.onStaged();
      for (const open of wave) askOne(open, deps).then((answered) => inbox.push(answered), fail);
      if (index === 0 && delayMs > 0) deps.sleep(delayMs).then(() => inbox.push("staged"), fail);
    }
  };
  launch().catch(fail);
  for (let left = asks.length; left > 0; ) {
    const item = await inbox.next();
    if (item === "staged") {
      if (left === asks.length) await deps.onStaged(); // the checkpoint of an answer is newer
      continue;
    }
    await complete(item, deps);
    await deps.onAnswered(item);
    left -= 1;
  }
}

function inWaves(asks: readonly OpenAsk[], usualGapMs: number): OpenAsk[][] {
  const waves: OpenAsk[][] = [];
  for (const open of asks) {
    const wave = waves.at(-1);
    if (wave === undefined || gapBefore(open, usualGapMs) > 0) waves.push([open]);
    else wave.push(open);
  }
  return waves;
}

function gapBefore(open: OpenAsk | undefined, usualGapMs: number): number {
  return open?.ask.type === "call" ? open.ask.afterMs || usualGapMs : 0;
}

/** The delay of the staged checkpoint after its calls. */
function stagingDelay(asks: readonly OpenAsk[]): number {
  const delays = asks.map(({ ask }) => (ask.type === "call" ? (ask.checkpointAfterMs ?? 0) : 0));
  return Math.max(0, ...delays);
}

async function announce({ id: callId, ask }: OpenAsk, { voice, modelCallId }: AskingDeps): Promise<void> {
  const toolCall = viewToolCall(ask, callId);
  if (toolCall === undefined) return;
  if (ask.type === "call" && ask.isPartial) {
    const text = JSON.stringify(ask.args);
    for (let piece = 1; piece <= PARTIAL_PIECES; piece += 1) {
      // The whole text so far, not only the new part: Cursor sends the arguments of client tools like this
      // (docs/protocol/wire.md, tools).
      const argsTextDelta = text.slice(0, Math.ceil((text.length * piece) / PARTIAL_PIECES));
      const value = { callId, toolCall: viewToolCall({ ...ask, args: {} }, callId), argsTextDelta, modelCallId };
      await voice.update({ case: "partialToolCall", value });
    }
  }
  await voice.update({ case: "toolCallStarted", value: { callId, toolCall, modelCallId } });
}

async function complete({ open, view }: Answered, { voice, modelCallId }: AskingDeps): Promise<void> {
  if (view === undefined) return;
  await voice.update({ case: "toolCallCompleted", value: { callId: open.id, toolCall: view, modelCallId } });
}

async function askOne(open: OpenAsk, deps: AskingDeps): Promise<Answered> {
  const { id, ask } = open;
  if (ask.type === "query") {
    const response = await deps.queries.ask(ask.kind, ask.args, id);
    return { open, text: describeResponse(response), view: viewToolCall(ask, id) };
  }
  if (ask.type === "call" && deps.asksApproval) {
    const verdict = await deps.execs.ask({ case: "mcpArgs", value: approvalArgs(ask, id) });
    if (!isApproval(verdict)) {
      return { open, text: `not approved: ${describeExec(verdict)}`, view: viewToolCall(ask, id, verdict) };
    }
  }
  const answer = await askExec(ask, id, deps.execs);
  return { open, text: describeExec(answer), view: viewToolCall(ask, id, answer) };
}

/** The approval question for a call. It has the id of the call. */
function approvalArgs(ask: Extract<Ask, { type: "call" }>, id: string): McpArgs {
  const args = mcpArgs(ask, id);
  args.smartModeApprovalOnly = true;
  return args;
}

function isApproval(answer: ExecAnswer): boolean {
  const [first] = answer.type === "results" ? answer.results : [];
  return first?.case === "mcpResult" && first.value.result.case === "approved";
}

function askExec(ask: Exclude<Ask, { type: "query" }>, id: string, execs: Execs): Promise<ExecAnswer> {
  switch (ask.type) {
    case "call":
      return execs.ask({ case: "mcpArgs", value: mcpArgs(ask, id) });
    case "exec":
      return execs.askUnknown(ask.field);
    case "state":
      return execs.ask({ case: "mcpStateExecArgs", value: {} });
    case "native": {
      const kind = findExecKind(ask.kind);
      const message = kind && execRequest(kind, ask.args, id).message;
      if (message?.case === undefined) throw new Error(`${ask.kind} cannot be asked.`);
      return execs.ask(message);
    }
  }
}

/** A queue with many writers and a single reader. */
class Inbox<Item> {
  readonly #items: Item[] = [];
  #failure: { reason: unknown } | undefined;
  #waiting: { resolve(item: Item): void; reject(reason: unknown): void } | undefined;

  push(item: Item): void {
    if (this.#waiting === undefined) this.#items.push(item);
    else this.#waiting.resolve(item);
    this.#waiting = undefined;
  }

  /** Fails the reader at once, before any queued item. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
  }

  next(): Promise<Item> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }
}
