import type { Exchange, Resumption } from "../backends/backend.js";
import { FormatKeeper } from "../formats/format-keeper.js";
import { hasLimits, ReplyLimits } from "../limits/reply-limits.js";
import { ThinkTags } from "../manners/think-tags.js";
import { WrittenCalls } from "../manners/written-calls.js";
import { newCallId } from "../sessions/call-id.js";
import { writeTold } from "../sessions/reminders.js";
import type { LoopGuard } from "../tools/loop-guard.js";
import { ChoiceKeeper, isForcedCall, OneAtATime } from "../tools/tool-choice.js";
import { GatewayError } from "../turn/error.js";
import type { Batch, TurnEvent, TurnEvents, Usage } from "../turn/event.js";
import { addUsage } from "../turn/reply-usage.js";
import type { RequestRunDeps } from "./open.js";
import { batches, type Finished, ReplyEvents, type Step } from "./relay.js";
import { ReplyJournal } from "./reply-journal.js";

interface ReplyRunDeps extends RequestRunDeps {
  exchange: Exchange;
  guard: LoopGuard;
  /** Calls of the run that the client knows of from earlier replies. */
  seenBefore: ReadonlySet<string>;
  /** Of the request that began the run. */
  bytes: number;
  /** Another run, from a checkpoint and with just these words. */
  restart: (from: Resumption) => Promise<Exchange>;
}

/** One reply, on one run or, where the first answer will not do, on a second; and what is left when it has ended. */
export class ReplyRun {
  readonly #deps: ReplyRunDeps;
  readonly #journal = new ReplyJournal();
  readonly #keeper: ChoiceKeeper;
  #exchange: Exchange;
  #limits: ReplyLimits;
  #format: FormatKeeper | undefined;
  /** Whether the client has its finish: what fails behind it is no failure of the reply. */
  #isWhole = false;
  #isNudged = false;
  #isRepaired = false;
  /** What the runs have taken whose answers would not do. */
  #inVain: Usage | undefined;
  readonly #leave = () => this.#exchange.close("client-left");

  constructor(deps: ReplyRunDeps) {
    this.#deps = deps;
    const { turn, exchange, check } = deps;
    this.#exchange = exchange;
    this.#keeper = new ChoiceKeeper(turn.messages.at(-1)?.role === "tool" ? { type: "auto" } : turn.toolChoice);
    this.#limits = this.#newLimits();
    this.#format = check && new FormatKeeper(check);
  }

  /** Resolves at the first event. */
  async begin(): Promise<TurnEvents> {
    const { context, open } = this.#deps;
    open.add(this.#exchange);
    context.signal.addEventListener("abort", this.#leave, { once: true });
    if (context.signal.aborted) this.#leave();
    const events = new ReplyEvents({
      source: this.#exchange.events(),
      steps: this.#steps(),
      onFinish: async (batch) => {
        const finished = await this.#onFinish(batch);
        this.#isWhole = finished.batch.at(-1)?.type === "finish";
        return finished;
      },
      onEnd: (failure) => {
        this.#release();
        return this.#deps.onEnd(failure, this.#isWhole);
      },
    });
    await events.prime();
    return events;
  }

  #newLimits(): ReplyLimits {
    return new ReplyLimits(this.#deps.turn, () => !this.#keeper.isHonoured);
  }

  #steps(): Step[] {
    const { settings, turn, callable, onTurnUsage, onEvents, check } = this.#deps;
    const format: Step = { push: (batch) => this.#format?.push(batch) ?? batch };
    const limits: Step = { push: (batch) => this.#limits.push(batch), end: () => this.#limits.end() };
    return [
      notice(onEvents),
      book(onTurnUsage),
      { push: this.#journal.fromUpstream },
      ...(settings.thinkTags ? [new ThinkTags()] : []),
      ...(settings.writtenCalls ? [new WrittenCalls(callable, newCallId)] : []),
      ...(turn.parallelToolCalls ? [] : [new OneAtATime()]),
      ...(hasLimits(turn) ? [limits] : []),
      ...(check === undefined ? [] : [format]),
      { push: this.#journal.toClient },
      watch(this.#keeper),
    ];
  }

  async #onFinish(batch: Batch): Promise<Finished> {
    if (this.#limits.hasEnded) return this.#cutShort(batch);
    if (this.#exchange.openCalls.length > 0) {
      await this.#park();
      return { batch };
    }
    if (!this.#keeper.isHonoured) {
      if (this.#isNudged) throw choiceIgnored();
      this.#isNudged = true;
      return this.#sayAgain(batch, this.#keeper.nudge, choiceIgnored);
    }
    const fault = this.#format?.fault;
    if (fault !== undefined) {
      const failed = () => formatNotMet(fault);
      if (this.#isRepaired) throw failed();
      this.#isRepaired = true;
      this.#limits = this.#newLimits(); // the client has nothing of the first answer
      const text = `Your last answer cannot be used: ${fault}. Give it again.\n\n${this.#deps.check?.instruction}`;
      return this.#sayAgain(batch, text, failed);
    }
    this.#save();
    return { batch: this.#inVain === undefined ? batch : batch.map((event) => this.#withInVain(event)) };
  }

  /** A limit was reached: nobody reads on, so the run need not go on. No checkpoint holds just what the client was told. */
  #cutShort(batch: Batch): Finished {
    const { onTurnUsage } = this.#deps;
    this.#exchange.close("limit-reached");
    let counted: { usage: Usage; turn?: Usage } | undefined = batch.find((event) => event.type === "usage");
    if (counted === undefined) {
      const soFar = this.#exchange.usageSoFar();
      onTurnUsage(soFar.turn);
      counted = soFar;
    }
    if (this.#format?.fault !== undefined) throw formatNotMet(this.#format.fault);
    const told = batch.slice(0, -1).filter(({ type }) => type !== "usage");
    const capped: TurnEvent = { type: "usage", ...counted, usage: this.#limits.capped(counted.usage) };
    return { batch: [...told, this.#withInVain(capped), ...batch.slice(-1)], source: batches() };
  }

  /** Goes on behind an answer that will not do, with words of our own. */
  async #sayAgain(batch: Batch, text: string, failed: () => GatewayError): Promise<Finished> {
    const { open, restart, context, check } = this.#deps;
    const { checkpoint } = this.#journal;
    if (checkpoint === undefined) throw failed();
    const taken = batch.find((event) => event.type === "usage")?.turn;
    if (taken !== undefined) this.#inVain = this.#inVain === undefined ? taken : addUsage(this.#inVain, taken);
    open.delete(this.#exchange);
    this.#format = check && new FormatKeeper(check);
    this.#exchange = await restart({
      state: checkpoint.state,
      messages: [{ role: "user", content: [{ type: "text", text }] }],
    });
    open.add(this.#exchange);
    if (context.signal.aborted) this.#leave();
    const said = batch.filter(({ type }) => type !== "finish" && type !== "usage");
    return { batch: said, source: this.#exchange.events() };
  }

  #withInVain(event: TurnEvent): TurnEvent {
    if (event.type !== "usage" || event.turn === undefined || this.#inVain === undefined) return event;
    return { ...event, turn: addUsage(this.#inVain, event.turn) };
  }

  async #park(): Promise<void> {
    const { lot, place, guard, seenBefore, store, onProblem, backend, turn, bytes } = this.#deps;
    this.#save();
    // A call that the client has seen must outlive us; where it cannot, the run itself is still parked.
    await store.flush().catch((problem: unknown) => onProblem?.(problem));
    const seenCalls = new Set([...seenBefore, ...this.#journal.seenCalls]);
    const { owner, conversationId, told, key, bareKey } = place;
    lot.park({
      exchange: this.#exchange,
      backend: backend.name,
      owner,
      conversationId,
      told,
      keys: new Set([this.#journal.keyAfter(key)]),
      bareKeys: new Set([this.#journal.keyAfter(bareKey)]),
      seenCalls,
      guard,
      isForced: isForcedCall(turn),
      bytes,
    });
    this.#release();
  }

  #save(): void {
    const { store, place } = this.#deps;
    const { checkpoint } = this.#journal;
    if (checkpoint === undefined) return;
    const { state, phase } = checkpoint;
    const { conversationId, told } = place;
    const open = [...(checkpoint.calls ?? []), ...this.#exchange.openCalls];
    const calls = [...new Map(open.map((call) => [call.id, call])).values()];
    const kept = { state, phase, conversationId, calls, memo: writeTold(told) };
    const isKept = store.putCheckpoint(place.owner, this.#journal.keyAfter(place.key), kept);
    // Without a checkpoint it would be said of the next turn that its settings have changed.
    if (isKept) store.putNote(place.owner, this.#journal.keyAfter(place.bareKey), "seen");
  }

  #release(): void {
    this.#deps.open.delete(this.#exchange);
    this.#deps.context.signal.removeEventListener("abort", this.#leave);
  }
}

function notice(onEvents: () => void): Step {
  return {
    push(batch) {
      onEvents();
      return batch;
    },
  };
}

/** Every run is booked, also one whose reply the client does not get to see. */
function book(onTurnUsage: (usage: Usage) => void): Step {
  return {
    push(batch) {
      for (const event of batch) if (event.type === "usage" && event.turn !== undefined) onTurnUsage(event.turn);
      return batch;
    },
  };
}

function watch(keeper: ChoiceKeeper): Step {
  return {
    push(batch) {
      keeper.push(batch);
      return batch;
    },
  };
}

function choiceIgnored(): GatewayError {
  return new GatewayError(
    "tool_call_missing",
    "The request requires a tool call, and the model answered without one even when reminded. Try again, or use tool_choice auto.",
  );
}

function formatNotMet(fault: string): GatewayError {
  const text = "The model's answer does not fit the format that the request asks for";
  return new GatewayError("format_not_met", `${text}: ${fault}. Try again, ask more plainly, or simplify the schema.`);
}
