import type { RequestAttachments } from "../attachments/index.js";
import type { BlobShelf, ClientCall, Exchange, RequestedModel, Resumption } from "../backends/backend.js";
import { ThinkTags } from "../manners/think-tags.js";
import { WrittenCalls } from "../manners/written-calls.js";
import { newCallId } from "../sessions/call-id.js";
import { extendKey } from "../sessions/fingerprint.js";
import type { Continuity, Place } from "../sessions/locate.js";
import { mendTranscript } from "../sessions/mend-transcript.js";
import type { ParkedRun, ParkingLot } from "../sessions/parking.js";
import { writeTold } from "../sessions/reminders.js";
import { guardFromTranscript, type LoopGuard } from "../tools/loop-guard.js";
import { ChoiceKeeper, OneAtATime, toolChoiceInstruction } from "../tools/tool-choice.js";
import type { SentResult, ToolResult } from "../turn/blocks.js";
import { GatewayError } from "../turn/error.js";
import { estimatedInput } from "../turn/estimate.js";
import type { Batch, TurnEvent, TurnEvents, Usage } from "../turn/event.js";
import type { Message, ToolDefinition, Turn } from "../turn/turn.js";
import type { GatewayDeps, RunContext } from "./gateway.js";
import { oneBatch, ReplyEvents, type Step } from "./reply-events.js";
import { ReplyJournal } from "./reply-journal.js";

interface RequestRunDeps extends GatewayDeps {
  turn: Turn;
  /** The tools that the model may call under the client's choice. */
  callable: readonly ToolDefinition[];
  context: RunContext;
  place: Place;
  model: RequestedModel;
  lot: ParkingLot;
  /** Exchanges that are under way. */
  open: Set<Exchange>;
  onTurnUsage: (usage: Usage) => void;
}

/** One request on its way to its reply: on the run that waits for it, from a checkpoint, or from the start. */
export class RequestRun {
  continuity: Continuity;
  readonly #deps: RequestRunDeps;
  readonly #blobs: BlobShelf;
  readonly #attached: RequestAttachments;

  constructor(deps: RequestRunDeps) {
    this.#deps = deps;
    this.continuity = deps.place.continuity;
    const { store, place, turn, context, backend, model } = deps;
    this.#blobs = {
      get: (id) => store.getBlob(place.owner, id),
      put: (id, data) => store.putBlob(place.owner, id, data),
    };
    const canSeeImages = backend.can.images && model.canSeeImages !== false;
    this.#attached = deps.attachments.ofRequest({ turn, canSeeImages, signal: context.signal });
  }

  get warnings(): readonly string[] {
    return this.#attached.warnings;
  }

  /** Resolves at the first event. */
  async begin(): Promise<TurnEvents> {
    const { place, turn, settings } = this.#deps;
    if (place.parked !== undefined) return this.#goOn(place.parked);
    if (place.missing.length > 0) return this.#tellAgain(place.missing);
    const guard = guardFromTranscript(turn.messages, settings.toolLoopMaxRepeat);
    try {
      return await this.#reply(await this.#start(place.from), guard);
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      if (error.code !== "blob_missing" || place.from === undefined) throw error;
      this.continuity = "cold:blob-missing";
      return this.#reply(await this.#start(undefined), guard);
    }
  }

  async #start(from: Resumption | undefined): Promise<Exchange> {
    const { backend, turn, callable, context, place, model } = this.#deps;
    const instruction = toolChoiceInstruction(turn.toolChoice, turn.parallelToolCalls);
    const messages = instruct(from === undefined ? mendTranscript(turn.messages) : from.messages, instruction);
    const sent = { ...turn, messages: await this.#attached.messages(messages) };
    const record = place.record.map(async (call) => ({
      ...call,
      result: call.result && (await this.#attached.result(call.result)),
    }));
    return backend.start(sent, {
      requestId: context.requestId,
      model,
      conversationId: place.conversationId,
      state: from?.state,
      estimatedTokens: estimatedInput(turn),
      record: await Promise.all(record),
      callable,
      blobs: this.#blobs,
      newCallId,
    });
  }

  /** Hands the results to the run that waits for them. While some are missing, the client is told just those again. */
  async #goOn(run: ParkedRun): Promise<TurnEvents> {
    const { exchange, guard } = run;
    for (const { result, sent } of await this.#resultsFor(run)) {
      const call = exchange.openCalls.find(({ id }) => id === result.callId);
      if (call === undefined) continue;
      try {
        guard.record(call, result);
      } catch (thrown) {
        exchange.close("limit-reached");
        throw thrown;
      }
      exchange.answer(sent);
    }
    const missing = exchange.openCalls.filter(({ id }) => run.seenCalls.has(id));
    if (missing.length === 0) return this.#reply(exchange, guard, run.seenCalls);
    return this.#tellAgain(missing, (key) => this.#deps.lot.park({ ...run, keys: new Set([...run.keys, key]) }));
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
  #tellAgain(missing: readonly MissingCall[], park: (key: string) => void = () => {}): TurnEvents {
    const told = this.#deps.turn.parallelToolCalls ? missing : missing.slice(0, 1);
    const events = told.flatMap(({ id, name, input }): TurnEvent[] => [
      { type: "call", id, name, runs: "client" },
      { type: "call-input", id, delta: input },
      { type: "call-end", id },
    ]);
    const journal = new ReplyJournal();
    journal.toClient(events);
    park(this.#keyAfter(journal));
    return oneBatch([...events, { type: "usage", usage: nothingUsed }, { type: "finish", reason: "tool-calls" }]);
  }

  async #reply(exchange: Exchange, guard: LoopGuard, seenBefore: ReadonlySet<string> = new Set()): Promise<TurnEvents> {
    const { context, open, turn } = this.#deps;
    const journal = new ReplyJournal();
    const keeper = new ChoiceKeeper(turn.messages.at(-1)?.role === "tool" ? { type: "auto" } : turn.toolChoice);
    let current = exchange;
    let isNudged = false;
    const leave = () => current.close("client-left");
    const release = () => {
      open.delete(current);
      context.signal.removeEventListener("abort", leave);
    };
    open.add(current);
    context.signal.addEventListener("abort", leave, { once: true });
    if (context.signal.aborted) leave();

    const onFinish = async (): Promise<TurnEvents | undefined> => {
      if (current.openCalls.length > 0) {
        this.#save(journal, current);
        // A call that the client has seen must outlive us; where it cannot, the run itself is still parked.
        await this.#deps.store.flush().catch((problem: unknown) => this.#deps.onProblem?.(problem));
        this.#park(current, guard, journal, seenBefore);
        release();
        return undefined;
      }
      if (!keeper.isHonoured) {
        if (isNudged || journal.checkpoint === undefined) throw choiceIgnored();
        isNudged = true;
        open.delete(current);
        const nudge: Message = { role: "user", content: [{ type: "text", text: keeper.nudge }] };
        current = await this.#start({ state: journal.checkpoint.state, messages: [nudge] });
        open.add(current);
        return current.events();
      }
      this.#save(journal, current);
      return undefined;
    };
    const steps = [
      book(this.#deps.onTurnUsage),
      journal.fromUpstream,
      ...this.#manners(),
      journal.toClient,
      watch(keeper),
    ];
    const events = new ReplyEvents({ source: exchange.events(), steps, onFinish, onEnd: release });
    await events.prime();
    return events;
  }

  #manners(): Step[] {
    const { settings, turn, callable } = this.#deps;
    const thinkTags = new ThinkTags();
    const writtenCalls = new WrittenCalls(callable, newCallId);
    const oneAtATime = new OneAtATime();
    return [
      ...(settings.thinkTags ? [(batch: Batch) => thinkTags.push(batch)] : []),
      ...(settings.writtenCalls ? [(batch: Batch) => writtenCalls.push(batch)] : []),
      ...(turn.parallelToolCalls ? [] : [(batch: Batch) => oneAtATime.push(batch)]),
    ];
  }

  #park(exchange: Exchange, guard: LoopGuard, journal: ReplyJournal, seenBefore: ReadonlySet<string>): void {
    const { lot, place } = this.#deps;
    const seenCalls = new Set([...seenBefore, ...journal.seenCalls]);
    const { owner, conversationId, told } = place;
    lot.park({ exchange, owner, conversationId, told, keys: new Set([this.#keyAfter(journal)]), seenCalls, guard });
  }

  #save(journal: ReplyJournal, exchange: Exchange): void {
    const { store, place } = this.#deps;
    const { checkpoint } = journal;
    if (checkpoint === undefined) return;
    const key = this.#keyAfter(journal);
    const { state, phase } = checkpoint;
    const { conversationId, told } = place;
    const calls = [
      ...new Map([...(checkpoint.calls ?? []), ...exchange.openCalls].map((call) => [call.id, call])).values(),
    ];
    store.putCheckpoint(place.owner, key, { state, phase, conversationId, calls, memo: writeTold(told) });
    store.putNote(place.owner, extendKey(place.bareKey, journal.digest), "seen");
  }

  /** The transcript that the client comes back with: what it sent, and what it was told. */
  #keyAfter(journal: ReplyJournal): string {
    return extendKey(this.#deps.place.key, journal.digest);
  }
}

type MissingCall = Pick<ClientCall, "id" | "name" | "input">;

const nothingUsed = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: true,
};

/** The wire has no such setting, so the wish goes with the words; nowhere else, or what stands before them would change. */
function instruct(messages: readonly Message[], instruction: string): readonly Message[] {
  const newest = messages.at(-1);
  if (instruction === "" || newest?.role !== "user") return messages;
  const content = [...newest.content, { type: "text" as const, text: `\n\n${instruction}` }];
  return [...messages.slice(0, -1), { role: "user", content }];
}

/** Every run is booked, also one whose reply the client does not get to see. */
function book(onTurnUsage: (usage: Usage) => void): Step {
  return (batch) => {
    for (const event of batch) if (event.type === "usage" && event.turn !== undefined) onTurnUsage(event.turn);
    return batch;
  };
}

function watch(keeper: ChoiceKeeper): Step {
  return (batch) => {
    keeper.push(batch);
    return batch;
  };
}

function choiceIgnored(): GatewayError {
  return new GatewayError(
    "tool_call_missing",
    "The request requires a tool call, and the model answered without one even when reminded. Try again, or use tool_choice auto.",
  );
}
