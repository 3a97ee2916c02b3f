import type { Exchange } from "../backends/backend.js";
import { writeKnownReminders } from "../sessions/reminders.js";
import { isForcedCall } from "../tools/tool-choice.js";
import { GatewayError } from "../turn/error.js";
import type { Batch, TurnEvent, TurnEvents, Usage } from "../turn/event.js";
import { addUsage } from "../turn/reply-usage.js";
import type { OpenRun } from "./open.js";
import { batches } from "./reply.js";
import type { ReplySteps } from "./reply-steps.js";
import type { Task } from "./request.js";
import type { RunStarter } from "./run-starter.js";

/** What becomes of a reply whose finish has come. */
interface Finished {
  /** What the client gets of the batch with the finish. */
  readonly batch: Batch;
  /** Where the reply goes on; where it was, if nowhere else. */
  readonly source?: TurnEvents;
}

/** Answers for one reply, on one run or, where the first answer will not do, on a second; and for what is left when it has ended. */
export class Settlement {
  readonly #task: Task;
  readonly #starter: RunStarter;
  readonly #run: OpenRun;
  readonly #steps: ReplySteps;
  #exchange: Exchange;
  /** Whether the client has its finish: what fails behind it is no failure of the reply. */
  #isWhole = false;
  #isNudged = false;
  #isRepaired = false;
  /** What the runs have taken whose answers would not do. */
  #inVain: Usage | undefined;
  readonly #leave = () => this.#exchange.close("client-left");

  constructor(task: Task, starter: RunStarter, run: OpenRun, steps: ReplySteps) {
    this.#task = task;
    this.#starter = starter;
    this.#run = run;
    this.#steps = steps;
    this.#exchange = run.exchange;
  }

  /** From here on a client that leaves takes the run with it. */
  begin(): TurnEvents {
    const { services, request } = this.#task;
    const { signal } = request.context;
    services.openExchanges.add(this.#exchange);
    signal.addEventListener("abort", this.#leave, { once: true });
    if (signal.aborted) this.#leave();
    return this.#exchange.events();
  }

  /** Called with each batch as it comes from upstream: every run is booked, also one whose reply the client does not get to see. */
  book(batch: Batch): void {
    for (const event of batch) if (event.type === "usage" && event.turn !== undefined) this.#bookTurn(event.turn);
  }

  /** Called when the finish has come and before anybody sees it. */
  async finish(batch: Batch): Promise<Finished> {
    const finished = await this.#settle(batch);
    this.#isWhole = finished.batch.at(-1)?.type === "finish";
    return finished;
  }

  /** Called once, when nothing more will come, with or without an error. Returns the error to tell, if it knows a better one. */
  end(failure?: GatewayError): GatewayError | undefined {
    const { health, request } = this.#task;
    this.#release();
    if (failure !== undefined) health?.failed(failure);
    return request.permit.ended(this.#isWhole ? undefined : failure);
  }

  async #settle(batch: Batch): Promise<Finished> {
    const { limits, choice, format } = this.#steps;
    if (limits?.hasEnded === true) return this.#cutShort(batch);
    if (this.#exchange.openCalls.length > 0) {
      await this.#park();
      return { batch };
    }
    if (!choice.isHonoured) return this.#nudge(batch);
    if (format?.fault !== undefined) return this.#repair(batch, format.fault);
    this.#save();
    return { batch: this.#inVain === undefined ? batch : batch.map((event) => this.#withInVain(event)) };
  }

  #nudge(batch: Batch): Promise<Finished> {
    if (this.#isNudged) throw choiceIgnored();
    this.#isNudged = true;
    this.#steps.beginAgain({ isUntold: false });
    return this.#sayAgain(batch, this.#steps.choice.nudge, choiceIgnored);
  }

  #repair(batch: Batch, fault: string): Promise<Finished> {
    const failed = () => formatNotMet(fault);
    if (this.#isRepaired) throw failed();
    this.#isRepaired = true;
    this.#steps.beginAgain({ isUntold: true });
    const { check } = this.#task.request;
    const text = `Your last answer cannot be used: ${fault}. Give it again.\n\n${check?.instruction}`;
    return this.#sayAgain(batch, text, failed);
  }

  /** A limit was reached: nobody reads on, so the run need not go on. No checkpoint holds just what the client was told. */
  #cutShort(batch: Batch): Finished {
    const { limits, format } = this.#steps;
    this.#exchange.close("limit-reached");
    let counted: { usage: Usage; turn?: Usage } | undefined = batch.find((event) => event.type === "usage");
    if (counted === undefined) {
      const soFar = this.#exchange.usageSoFar();
      this.#bookTurn(soFar.turn);
      counted = soFar;
    }
    if (format?.fault !== undefined) throw formatNotMet(format.fault);
    const knownReminders = batch.slice(0, -1).filter(({ type }) => type !== "usage");
    const usage = limits?.capped(counted.usage) ?? counted.usage;
    const capped: TurnEvent = { type: "usage", ...counted, usage };
    return { batch: [...knownReminders, this.#withInVain(capped), ...batch.slice(-1)], source: batches() };
  }

  /** Goes on behind an answer that will not do, with words of our own. */
  async #sayAgain(batch: Batch, text: string, failed: () => GatewayError): Promise<Finished> {
    const { services, request } = this.#task;
    const { openExchanges } = services;
    const { checkpoint } = this.#steps.journal;
    if (checkpoint === undefined) throw failed();
    const taken = batch.find((event) => event.type === "usage")?.turn;
    if (taken !== undefined) this.#inVain = this.#inVain === undefined ? taken : addUsage(this.#inVain, taken);
    openExchanges.delete(this.#exchange);
    const { plan, guard } = this.#run;
    const words = { role: "user" as const, content: [{ type: "text" as const, text }] };
    this.#exchange = await this.#starter.goOn(plan, [words], checkpoint.state, guard);
    openExchanges.add(this.#exchange);
    if (request.context.signal.aborted) this.#leave();
    const said = batch.filter(({ type }) => type !== "finish" && type !== "usage");
    return { batch: said, source: this.#exchange.events() };
  }

  #withInVain(event: TurnEvent): TurnEvent {
    if (event.type !== "usage" || event.turn === undefined || this.#inVain === undefined) return event;
    return { ...event, turn: addUsage(this.#inVain, event.turn) };
  }

  async #park(): Promise<void> {
    const { services, request, backend, model } = this.#task;
    const { turn, owner } = request;
    this.#save();
    // A call that the client has seen must outlive us; where it cannot, the run itself is still parked.
    await services.store.flush().catch((problem: unknown) => services.onProblem(problem));
    const { journal } = this.#steps;
    const { plan, guard, seenCalls, bytes } = this.#run;
    const { id, knownReminders, key, bareKey } = plan.conversation;
    services.lot.park({
      exchange: this.#exchange,
      backend: backend.name,
      askedModel: turn.model,
      askedEffort: turn.effort,
      model,
      owner,
      conversationId: id,
      knownReminders,
      keys: new Set([journal.keyAfter(key)]),
      bareKeys: new Set([journal.keyAfter(bareKey)]),
      seenCalls: new Set([...seenCalls, ...journal.seenCalls]),
      guard,
      isForced: isForcedCall(turn),
      bytes,
    });
    this.#release();
  }

  #save(): void {
    const { services, request } = this.#task;
    const { store } = services;
    const { owner } = request;
    const { journal } = this.#steps;
    if (journal.checkpoint === undefined) return;
    const { state, phase } = journal.checkpoint;
    const { id: conversationId, knownReminders, key, bareKey } = this.#run.plan.conversation;
    const open = [...(journal.checkpoint.calls ?? []), ...this.#exchange.openCalls];
    const calls = [...new Map(open.map((call) => [call.id, call])).values()];
    const kept = { state, phase, conversationId, calls, memo: writeKnownReminders(knownReminders) };
    const isKept = store.putCheckpoint(owner, journal.keyAfter(key), kept);
    // Without a checkpoint it would be said of the next turn that its settings have changed.
    if (isKept) store.putNote(owner, journal.keyAfter(bareKey), "seen");
  }

  #bookTurn(usage: Usage): void {
    const { services, model } = this.#task;
    services.ledger?.turn(model.shownAs, usage);
  }

  #release(): void {
    const { services, request } = this.#task;
    services.openExchanges.delete(this.#exchange);
    request.context.signal.removeEventListener("abort", this.#leave);
  }
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
