import type { Carriage, ClientCall, CloseReason, Exchange } from "../backends/backend.js";
import type { Clock } from "../system/clock.js";
import { joinText, type SentResult } from "../turn/blocks.js";
import { GatewayError } from "../turn/error.js";
import type { Batch, CheckpointEvent, TurnEvent, Usage } from "../turn/event.js";
import type { Pause } from "../turn/events/channels.js";
import type { RequestAttachments } from "./attachments/index.js";
import type { KeptResults } from "./kept-results.js";
import type { LoopGuard } from "./tools/loop-guard.js";
import type { McpOffer } from "./tools/mcp/index.js";

const SUMMARY_CHARACTERS = 200;

interface BridgedDeps {
  readonly clock: Pick<Clock, "now">;
  readonly exchange: Exchange;
  readonly offer: McpOffer;
  readonly guard: LoopGuard;
  readonly reader: RequestAttachments;
  readonly kept: KeptResults;
  /** Whether this run replaces one that was lost while it waited for results. */
  readonly isResumed: boolean;
}

/**
 * A run whose MCP calls the gateway answers itself. From outside, it waits only for the client's calls. A pause that
 * waits only for MCP calls is not reported as a pause. When the client has calls too, the MCP calls run while the client runs its own.
 */
export class BridgedExchange implements Exchange {
  readonly #deps: BridgedDeps;
  readonly #leaving = new AbortController();
  readonly #begun = new Set<string>();
  /** Calls whose results must outlive this run. */
  readonly #lasting = new Set<ClientCall>();
  /** Settles when all calls that were started so far have results. */
  #work: Promise<readonly TurnEvent[]> = Promise.resolve([]);
  #failure: GatewayError | undefined;
  /** Output tokens reported at pauses that were hidden from the client. */
  #heldTokens = 0;
  #onOwnTools: (pause: Pause) => void = () => {};
  #onRound: (usage: Usage) => void = () => {};

  constructor(deps: BridgedDeps) {
    this.#deps = deps;
    deps.exchange.onOver(() => this.#leaving.abort());
  }

  get openCalls(): readonly ClientCall[] {
    return this.#deps.exchange.openCalls.filter(({ name }) => !this.#deps.offer.has(name));
  }

  carriage(callId: string): Carriage {
    return this.#deps.exchange.carriage(callId);
  }

  answer(result: SentResult): void {
    this.#deps.exchange.answer(result);
  }

  close(reason: CloseReason): void {
    this.#leaving.abort();
    this.#deps.exchange.close(reason);
  }

  usageSoFar(): { usage: Usage; turn: Usage } {
    const { usage, turn } = this.#deps.exchange.usageSoFar();
    return { usage: this.#withHeld(usage), turn };
  }

  onOver(callback: () => void): void {
    this.#deps.exchange.onOver(callback);
  }

  onLateCheckpoint(callback: (checkpoint: CheckpointEvent) => void): void {
    this.#deps.exchange.onLateCheckpoint((checkpoint) => callback(this.#onCheckpoint(checkpoint)));
  }

  onWarning(callback: (warning: string) => void): void {
    this.#deps.exchange.onWarning(callback);
  }

  onOwnTools(callback: (pause: Pause) => void): void {
    this.#onOwnTools = callback;
  }

  onRound(callback: (usage: Usage) => void): void {
    this.#onRound = callback;
  }

  get meter(): Exchange["meter"] {
    return this.#deps.exchange.meter;
  }

  async *events(): AsyncGenerator<Batch, undefined> {
    for (let goesOn = true; goesOn; ) {
      goesOn = false;
      if (this.#failure !== undefined) throw this.#failure;
      for await (const batch of this.#inner()) {
        const seen = batch.map((event) => this.#seen(event));
        if (seen.at(-1)?.type !== "finish") {
          yield seen;
          continue;
        }
        const ours = this.#deps.exchange.openCalls.filter(({ name }) => this.#deps.offer.has(name));
        const isForClient = ours.length === 0 || this.openCalls.length > 0;
        const fresh = ours.filter(({ id }) => !this.#begun.has(id));
        if (isForClient) for (const call of fresh) this.#lasting.add(call);
        else this.#admit(seen);
        this.#begin(fresh);
        if (isForClient) {
          yield this.#report(seen);
          continue;
        }
        goesOn = true;
        const said = this.#hold(seen);
        if (said.length > 0) yield said;
        const startedMs = this.#deps.clock.now();
        const results = await this.#work;
        this.#onOwnTools({ startedMs, endedMs: this.#deps.clock.now(), calls: fresh.length });
        if (this.#failure !== undefined) throw this.#failure;
        if (results.length > 0) yield results;
      }
    }
  }

  /** Reports the failure that made us end the run instead of the abort that it causes. */
  async *#inner(): AsyncGenerator<Batch, undefined> {
    try {
      yield* this.#deps.exchange.events();
    } catch (thrown) {
      throw this.#failure ?? thrown;
    }
  }

  #admit(batch: Batch): void {
    try {
      for (const event of batch) if (event.type === "usage") this.#onRound(event.usage);
    } catch (thrown) {
      this.close("limit-reached");
      throw thrown;
    }
  }

  #begin(calls: readonly ClientCall[]): void {
    for (const { id } of calls) this.#begun.add(id);
    const before = this.#work;
    const now = this.#runCalls(calls);
    this.#work = before.then(() => now);
  }

  /** Runs the calls in parallel and hands over their results in the order of the calls. Never throws. */
  async #runCalls(calls: readonly ClientCall[]): Promise<readonly TurnEvent[]> {
    const { exchange, guard } = this.#deps;
    try {
      const results = await Promise.all(calls.map((call) => this.#resultOf(call)));
      for (const [index, call] of calls.entries()) {
        const result = results[index];
        if (result !== undefined) guard.record(call, result);
      }
      return results.map((result): TurnEvent => {
        exchange.answer(result);
        const summary = joinText(result.content).slice(0, SUMMARY_CHARACTERS);
        return { type: "call-result", id: result.callId, summary };
      });
    } catch (thrown) {
      this.#failure = GatewayError.from(thrown);
      exchange.close("limit-reached");
      return [];
    }
  }

  async #resultOf(call: ClientCall): Promise<SentResult> {
    const { offer, reader, kept, isResumed } = this.#deps;
    const { signal } = this.#leaving;
    const isLasting = this.#lasting.has(call);
    const known = isResumed ? kept.take(call) : undefined;
    if (isLasting) kept.forget(call); // drops the result of an earlier equal call
    const result = known ?? (await reader.result({ callId: call.id, ...(await offer.run(call, signal)) }));
    if (isLasting && !signal.aborted) kept.put(call, result);
    return result;
  }

  #seen(event: TurnEvent): TurnEvent {
    const { offer } = this.#deps;
    if (event.type === "call" && offer.has(event.name)) return { ...event, runs: "gateway" };
    return event.type === "checkpoint" ? this.#onCheckpoint(event) : event;
  }

  /** Follows the conversation to another id. A client is never asked for the results of MCP calls. */
  #onCheckpoint(checkpoint: CheckpointEvent): CheckpointEvent {
    const { calls, conversationId } = checkpoint;
    if (conversationId !== undefined) this.#deps.kept.moveTo(conversationId, this.#lasting);
    if (calls === undefined) return checkpoint;
    return { ...checkpoint, calls: calls.filter(({ name }) => !this.#deps.offer.has(name)) };
  }

  /** The batch without its end, since the reply continues. */
  #hold(batch: Batch): Batch {
    for (const event of batch) if (event.type === "usage") this.#heldTokens += event.usage.outputTokens;
    return batch.filter(({ type }) => type !== "usage" && type !== "finish");
  }

  #report(batch: Batch): Batch {
    const reported = batch.map((event) =>
      event.type === "usage" ? { ...event, usage: this.#withHeld(event.usage) } : event,
    );
    this.#heldTokens = 0;
    const last = batch.at(-1);
    const isOver = last?.type === "finish" && last.reason !== "tool-calls";
    if (isOver) for (const call of this.#lasting) this.#deps.kept.forget(call);
    return reported;
  }

  /** Earlier output of the same reply counts towards it. Earlier input does not: each pause reports the whole context again. */
  #withHeld(usage: Usage): Usage {
    return { ...usage, outputTokens: this.#heldTokens + usage.outputTokens };
  }
}
