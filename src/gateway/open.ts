import type { RequestAttachments } from "../attachments/index.js";
import type { Backend, BlobShelf, ClientCall, Exchange, RequestedModel, Resumption } from "../backends/backend.js";
import type { Permit } from "../breaker/index.js";
import type { AnswerCheck } from "../formats/answer-formats.js";
import { isTitleRequest } from "../manners/title-request.js";
import { newCallId } from "../sessions/call-id.js";
import type { Continuity, Place } from "../sessions/known.js";
import { mendTranscript } from "../sessions/mend-transcript.js";
import type { ParkedRun, ParkingLot } from "../sessions/parking.js";
import { guardFromTranscript, type LoopGuard } from "../tools/loop-guard.js";
import type { McpOffer } from "../tools/mcp/index.js";
import { toolChoiceInstruction } from "../tools/tool-choice.js";
import type { ToolLists } from "../tools/tool-lists.js";
import type { SentResult, ToolResult } from "../turn/blocks.js";
import { type ErrorCode, GatewayError } from "../turn/error.js";
import { estimatedInput } from "../turn/estimate.js";
import type { TurnEvent, TurnEvents, Usage } from "../turn/event.js";
import type { Message, ToolDefinition, Turn } from "../turn/turn.js";
import { BridgedExchange } from "./bridged-exchange.js";
import type { GatewayDeps, RunContext } from "./gateway.js";
import { KeptResults } from "./kept-results.js";
import type { OpenExchanges } from "./open-exchanges.js";
import { batches } from "./relay.js";
import { ReplyJournal } from "./reply-journal.js";
import { ReplyRun } from "./settle.js";
import { yieldIfLong } from "./yield-if-long.js";

export interface RequestRunDeps extends Omit<GatewayDeps, "roads" | "account"> {
  backend: Backend;
  turn: Turn;
  /** What the answer has to pass, if it is to have a format. */
  check: AnswerCheck | undefined;
  /** The tools that the model may call under the client's choice. */
  callable: readonly ToolDefinition[];
  context: RunContext;
  permit: Permit;
  place: Place;
  model: RequestedModel;
  lot: ParkingLot;
  open: OpenExchanges;
  toolLists: ToolLists;
  onTurnUsage: (usage: Usage) => void;
  /** Called for each batch of the upstream's. */
  onEvents: () => void;
  /** Called when a reply is over; it may be whole although its stream failed behind it. Returns the error to tell, if any. */
  onEnd: (failure: GatewayError | undefined, isWhole: boolean) => GatewayError | undefined;
}

/** One request on its way to its reply: on the run that waits for it, from a checkpoint, or from the start. */
export class RequestRun {
  continuity: Continuity;
  readonly #deps: RequestRunDeps;
  readonly #blobs: BlobShelf;
  readonly #canSeeImages: boolean;
  readonly #attached: RequestAttachments;
  #offer: McpOffer | undefined;

  constructor(deps: RequestRunDeps) {
    this.#deps = deps;
    this.continuity = deps.place.continuity;
    const { store, place, turn, context, backend, model } = deps;
    this.#blobs = {
      get: (id) => store.getBlob(place.owner, id),
      put: (id, data) => store.putBlob(place.owner, id, data, { isHashed: true }),
    };
    this.#canSeeImages = backend.can.images && model.canSeeImages !== false;
    this.#attached = deps.attachments.ofRequest({ turn, canSeeImages: this.#canSeeImages, signal: context.signal });
  }

  get warnings(): readonly string[] {
    return [...(this.#deps.check?.warnings ?? []), ...this.#attached.warnings, ...(this.#offer?.warnings ?? [])];
  }

  /** Resolves at the first event. */
  async begin(): Promise<TurnEvents> {
    const { place, turn, settings } = this.#deps;
    if (place.parked === undefined && place.missing.length > 0) return this.#tellAgain(place.missing);
    // A run that waits has a guard of its own, and has to be closed where that one says so.
    const newGuard = () => guardFromTranscript(turn.messages, settings.toolLoopMaxRepeat);
    try {
      if (place.parked !== undefined) return await this.#goOn(place.parked);
      const guard = newGuard();
      return await this.#reply(await this.#start(place.from, guard), guard);
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      const reason = stateLost[error.code];
      if (reason === undefined || (place.from ?? place.parked) === undefined) throw error;
      this.continuity = reason;
      const guard = newGuard();
      return this.#reply(await this.#start(undefined, guard), guard);
    }
  }

  #start(from: Resumption | undefined, guard: LoopGuard): Promise<Exchange> {
    const { turn, check } = this.#deps;
    const choice = toolChoiceInstruction(turn.toolChoice, turn.parallelToolCalls);
    const messages = from === undefined ? mendTranscript(turn.messages) : from.messages;
    return this.#run(instruct(messages, choice, check?.instruction ?? ""), from?.state, guard);
  }

  async #run(messages: readonly Message[], state: Uint8Array | undefined, guard: LoopGuard): Promise<Exchange> {
    const { backend, turn, context, permit, place, model, store } = this.#deps;
    const offer = await this.#bridged();
    const offered = offer?.tools ?? [];
    const tools = this.#withOffered(turn.tools, offered);
    const isFree = turn.toolChoice.type === "auto" || turn.toolChoice.type === "required";
    const callable = isFree ? this.#withOffered(this.#deps.callable, offered) : this.#deps.callable;
    const sent = { ...turn, tools, messages: await this.#attached.messages(messages) };
    await yieldIfLong(messages);
    const record = place.record.map(async (call) => ({
      ...call,
      result: call.result && (await this.#attached.result(call.result)),
    }));
    const exchange = backend.start(sent, {
      requestId: context.requestId,
      model,
      conversationId: place.conversationId,
      state,
      estimatedTokens: estimatedInput({ ...turn, tools }),
      record: await Promise.all(record),
      callable,
      blobs: this.#blobs,
      maxRetries: permit.maxRetries,
      newCallId,
    });
    if (offer === undefined || offer.tools.length === 0) return exchange;
    return new BridgedExchange({
      exchange,
      offer,
      guard,
      prepare: this.#resultReader(),
      kept: new KeptResults(store, place.owner, place.conversationId),
      isResumed: state !== undefined && messages.length === 0,
    });
  }

  #withOffered(tools: readonly ToolDefinition[], offered: readonly ToolDefinition[]): readonly ToolDefinition[] {
    return offered.length === 0 ? tools : this.#deps.toolLists.same([...tools, ...offered]);
  }

  /** Holds on to nothing of the request: a run may wait for the client long after it. */
  #resultReader(): (result: ToolResult) => Promise<SentResult> {
    const { signal } = new AbortController();
    const reader = this.#deps.attachments.ofRequest({
      turn: { messages: [] },
      canSeeImages: this.#canSeeImages,
      signal,
    });
    return reader.result.bind(reader);
  }

  /**
   * What the gateway's own tools add. They are no part of the turn, and so none of the conversation's key: a server that is
   * late, gone or changed makes no other conversation.
   */
  async #bridged(): Promise<McpOffer | undefined> {
    const { bridge, backend, turn, context } = this.#deps;
    if (context.account !== undefined || !backend.can.tools || isTitleRequest(turn)) return undefined;
    this.#offer ??= await bridge?.offer(turn.tools.map(({ name }) => name));
    return this.#offer;
  }

  /** Hands the results to the run that waits for them. While some are missing, the client is told just those again. */
  async #goOn(run: ParkedRun): Promise<TurnEvents> {
    const { exchange, guard } = run;
    const results = await this.#resultsFor(run);
    const open = new Map(exchange.openCalls.map((call) => [call.id, call]));
    const answers = results.flatMap(({ result, sent }) => {
      const call = open.get(result.callId);
      open.delete(result.callId); // of two results for one call the first counts
      return call === undefined ? [] : [{ call, result, sent }];
    });
    try {
      for (const { call, result } of answers) guard.record(call, result);
    } catch (thrown) {
      exchange.close("limit-reached");
      throw thrown;
    }
    for (const { sent } of answers) exchange.answer(sent);
    const missing = exchange.openCalls.filter(({ id }) => run.seenCalls.has(id));
    if (missing.length === 0) return this.#reply(exchange, guard, run);
    const { lot, place } = this.#deps;
    return this.#tellAgain(missing, (journal) =>
      lot.park({
        ...run,
        keys: new Set([...run.keys, journal.keyAfter(place.key)]),
        bareKeys: new Set([...run.bareKeys, journal.keyAfter(place.bareKey)]),
      }),
    );
  }

  /** What the client gives a run that waits. It goes on waiting when something in that cannot be had. */
  async #resultsFor(run: ParkedRun): Promise<readonly { result: ToolResult; sent: SentResult }[]> {
    const { turn, lot, open } = this.#deps;
    const ids = new Set(run.exchange.openCalls.map(({ id }) => id));
    const results = turn.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
    const wanted = results.filter(({ callId }) => ids.has(callId));
    open.add(run.exchange);
    try {
      return await Promise.all(wanted.map(async (result) => ({ result, sent: await this.#attached.result(result) })));
    } catch (thrown) {
      lot.park(run);
      throw thrown;
    } finally {
      open.delete(run.exchange);
    }
  }

  /** Just the calls that have no result yet, under the ids that they have. Nobody upstream needs to know. */
  #tellAgain(missing: readonly MissingCall[], park: (journal: ReplyJournal) => void = () => {}): TurnEvents {
    const told = this.#deps.turn.parallelToolCalls ? missing : missing.slice(0, 1);
    const events = told.flatMap(({ id, name, input }): TurnEvent[] => [
      { type: "call", id, name, runs: "client" },
      { type: "call-input", id, delta: input },
      { type: "call-end", id },
    ]);
    const journal = new ReplyJournal();
    journal.toClient(events);
    park(journal);
    return batches([...events, { type: "usage", usage: nothingUsed }, { type: "finish", reason: "tool-calls" }]);
  }

  async #reply(exchange: Exchange, guard: LoopGuard, parked?: ParkedRun): Promise<TurnEvents> {
    const { seenCalls: seenBefore = new Set<string>(), bytes = this.#deps.context.bodyBytes ?? 0 } = parked ?? {};
    const restart = ({ state, messages }: Resumption) => this.#run(messages, state, guard);
    return new ReplyRun({ ...this.#deps, exchange, guard, seenBefore, bytes, restart }).begin();
  }
}

/** Failures by which a backend says that the state it was given is of no use any more; the transcript still is. */
const stateLost: Partial<Record<ErrorCode, Continuity>> = {
  blob_missing: "cold:blob-missing",
  session_expired: "cold:expired",
};

type MissingCall = Pick<ClientCall, "id" | "name" | "input">;

/** For replies to which no model has added anything. */
export const nothingUsed = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: true,
};

/**
 * The wire has no such settings, so the wishes go with the newest words; nowhere else, or what stands before them would
 * change. A choice of tools is for the reply to these words, a format also for the one after the calls.
 */
function instruct(messages: readonly Message[], choice: string, format: string): readonly Message[] {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const newest = messages[at];
  const wishes = [at === messages.length - 1 ? choice : "", format].filter((wish) => wish !== "");
  if (wishes.length === 0 || newest?.role !== "user") return messages;
  const content = [...newest.content, { type: "text" as const, text: `\n\n${wishes.join("\n\n")}` }];
  return messages.with(at, { role: "user", content });
}
