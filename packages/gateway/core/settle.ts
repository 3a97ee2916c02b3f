import type { Exchange } from "../backends/backend.js";
import type { GatewayError } from "../turn/error.js";
import { addUsage, type Batch, type TurnEvent, type TurnEvents, type Usage } from "../turn/event.js";
import { publish } from "../turn/events/channels.js";
import { historyOf, tokensIn } from "./cache-miss.js";
import { type Answer, areToolsInDoubt, formatNotMet, type History, type NextRun, next } from "./next.js";
import type { OpenRun } from "./open.js";
import type { RunPlan } from "./plan.js";
import { batches } from "./reply.js";
import { park, ReplyState } from "./reply-state.js";
import type { ReplySteps } from "./reply-steps.js";
import { noteCutRun, noteTurnUsage, noteUpstream, type Task } from "./request.js";
import type { RunStarter } from "./run-starter.js";
import { carriersOf } from "./sessions/parking.js";
import { seenSettings } from "./sessions/positions.js";
import { MissingToolWatch } from "./tools/missing-tool.js";
import { isForcedCall } from "./tools/tool-choice.js";

interface Finished {
  readonly batch: Batch;
  /** The new source of the reply's events; absent when the old one stays. */
  readonly source?: TurnEvents;
}

/** Settles one reply: parks its run, saves its checkpoint, records its usage, and asks once more after a useless answer. */
export class Settlement {
  readonly #task: Task;
  readonly #starter: RunStarter;
  #run: OpenRun;
  readonly #steps: ReplySteps;
  #exchange: Exchange;
  #history: History;
  /** How far the current run has come, in an earlier reply or this one. A failure after the finish does not fail the reply. */
  #heard: "nothing" | "events" | "usage" | "finish";
  readonly #state: ReplyState;
  readonly #missingTool: MissingToolWatch | undefined;
  #wasted: Usage | undefined;
  readonly #leave = () => {
    this.#state.saveOpening(this.plan); // first of all: the user's next message may already be on its way
    this.#exchange.close("client-left");
  };

  constructor(task: Task, starter: RunStarter, run: OpenRun, steps: ReplySteps) {
    this.#task = task;
    this.#history = task.history;
    this.#starter = starter;
    this.#run = run;
    this.#steps = steps;
    this.#exchange = run.exchange;
    this.#heard = run.plan.kind === "results" ? "events" : "nothing";
    this.#state = new ReplyState(task, steps.journal);
    if (areToolsInDoubt(run.plan)) this.#missingTool = new MissingToolWatch(task.request.turn.tools);
  }

  /** The plan that serves the reply; a new one if the model turned out not to have the new tools. */
  get plan(): RunPlan {
    return this.#run.plan;
  }

  /** From here on the run is closed when the client leaves. */
  begin(): TurnEvents {
    const { services, request } = this.#task;
    const { signal } = request.context;
    services.openExchanges.add(this.#exchange, request);
    signal.addEventListener("abort", this.#leave, { once: true });
    if (signal.aborted) this.#leave();
    return this.#exchange.events();
  }

  /** Called with each batch from upstream. Every run is recorded, including those whose reply the client never sees. */
  observe(batch: Batch): void {
    this.#missingTool?.push(batch);
    if (this.#heard === "nothing") this.#heard = "events";
    for (const event of batch) if (event.type === "usage") this.#recordUsage(event);
  }

  /**
   * Called after each batch without a finish. The last checkpoint often comes some time before the end of the stream: it is stored
   * at once, so that it can be on disk when the client gets its finish. Most finishes do not wait for the disk.
   */
  saveLast(): void {
    const { journal, choice, format } = this.#steps;
    // An answer that has to be checked may still be rejected.
    const isToBeChecked = !choice.isHonoured || format !== undefined || areToolsInDoubt(this.plan);
    if (journal.last !== undefined && !isToBeChecked) this.#state.save(this.plan, this.#exchange);
  }

  /** Called before the client sees the finish. @throws GatewayError `tool_call_missing` or `format_not_met` after a second try */
  async finish(batch: Batch): Promise<Finished> {
    this.#noteUpstream();
    const finished = await this.#settle(batch);
    if (finished.batch.at(-1)?.type === "finish") this.#heard = "finish";
    return finished;
  }

  /** Called once at the end, with or without an error. Returns a better error to report, if there is one. */
  end(failure?: GatewayError): GatewayError | undefined {
    const { health, request } = this.#task;
    const isWhole = this.#heard === "finish";
    this.#release();
    this.#noteUpstream();
    if (failure !== undefined && !isWhole) {
      this.#state.saveOpening(this.plan);
      // Cursor has begun to answer, and reports no usage for it.
      if (this.#heard === "events") noteCutRun(request.context.record, this.#exchange);
    }
    if (failure !== undefined) health?.failed(failure);
    return request.permit.ended(isWhole ? undefined : failure);
  }

  async #settle(batch: Batch): Promise<Finished> {
    const { services } = this.#task;
    if (this.#steps.limits?.hasEnded === true) return this.#cutShort(batch);
    if (this.#exchange.openCalls.length > 0) {
      await this.#park();
      return { batch };
    }
    const step = next(this.#answerIn(batch), this.#history);
    switch (step.kind) {
      case "keep":
        this.#state.save(this.plan, this.#exchange);
        this.#state.rememberCalls(this.plan);
        if (this.#isForOthers) await services.store.flush().catch(services.onProblem);
        return { batch: this.#wasted === undefined ? batch : batch.map((event) => this.#withWasted(event)) };
      case "run":
        return this.#goOn(batch, step);
      case "give-up":
        throw step.error;
    }
  }

  #answerIn(batch: Batch): Answer {
    const { backend, known, request } = this.#task;
    const { journal, choice, format } = this.#steps;
    const { instruction = "" } = request.check ?? {};
    const end = batch.at(-1);
    const hasStopped = end?.type === "finish" && end.reason === "stop";
    return {
      kind: "answer",
      plan: this.plan,
      known,
      isEmpty: hasStopped && !journal.hasSpoken && backend.can.startsWithoutWords === true,
      missesTool: this.#missingTool?.hasHeard === true,
      nudge: choice.isHonoured ? undefined : choice.nudge,
      misfit: format?.fault === undefined ? undefined : { fault: format.fault, instruction },
      checkpoint: journal.checkpoint,
    };
  }

  /** Another gateway may hold the run that waits for these results, and needs this reply to continue with the next message. */
  get #isForOthers(): boolean {
    return this.plan.kind !== "results" && this.#task.request.turn.messages.at(-1)?.role === "tool";
  }

  /** Ends a run whose reply has reached a limit. No checkpoint covers exactly what the client was sent. */
  #cutShort(batch: Batch): Finished {
    const { limits, format } = this.#steps;
    this.#state.saveOpening(this.plan);
    this.#exchange.close("limit-reached");
    let counted: { usage: Usage; turn?: Usage } | undefined = batch.find((event) => event.type === "usage");
    if (counted === undefined) {
      const soFar = this.#exchange.usageSoFar();
      this.#recordUsage(soFar);
      counted = soFar;
    }
    if (format?.fault !== undefined) throw formatNotMet(format.fault);
    const said = batch.slice(0, -1).filter(({ type }) => type !== "usage");
    const usage = limits?.capped(counted.usage) ?? counted.usage;
    const capped: TurnEvent = { type: "usage", ...counted, usage };
    return { batch: [...said, this.#withWasted(capped), ...batch.slice(-1)], source: batches() };
  }

  /** Continues with another run. The usage of the first counts for this reply. */
  async #goOn(batch: Batch, { chance, plan, words, history }: NextRun): Promise<Finished> {
    const { services, request } = this.#task;
    const { openExchanges } = services;
    this.#history = history;
    this.#steps.beginAgain({ isUnsent: chance === "in-words" || chance === "repair" });
    if (chance === "new-tools") {
      this.#run = { ...this.#run, plan };
      this.#steps.journal.forgetCheckpoints();
    }
    const taken = batch.find((event) => event.type === "usage")?.turn;
    if (taken !== undefined) this.#wasted = this.#wasted === undefined ? taken : addUsage(this.#wasted, taken);
    openExchanges.delete(this.#exchange);
    this.#exchange = await this.#starter.start(plan, this.#run.guard, words);
    this.#heard = "nothing";
    openExchanges.add(this.#exchange, request);
    if (request.context.signal.aborted) this.#leave();
    const said = batch.filter(({ type }) => type !== "finish" && type !== "usage");
    return { batch: said, source: this.#exchange.events() };
  }

  #withWasted(event: TurnEvent): TurnEvent {
    if (event.type !== "usage" || event.turn === undefined || this.#wasted === undefined) return event;
    return { ...event, turn: addUsage(this.#wasted, event.turn) };
  }

  async #park(): Promise<void> {
    const { services, request, backend, model } = this.#task;
    const { turn, owner } = request;
    const { record } = request.context;
    this.#state.save(this.plan, this.#exchange);
    this.#state.saveOpening(this.plan);
    this.#state.rememberCalls(this.plan);
    // A call that the client has seen must outlive this process. If the store fails, the run itself is still parked.
    await services.store.flush().catch(services.onProblem);
    const { journal } = this.#steps;
    const { plan, guard, seenCalls, bytes } = this.#run;
    const { knownReminders, lineage, firstKey } = plan.conversation;
    const { key, bareKey } = journal.keysAfter(plan.conversation);
    const { conversationId = plan.conversation.id } = journal.checkpoint ?? {};
    park(services, {
      exchange: this.#exchange,
      backend: backend.name,
      askedModel: turn.model,
      askedEffort: turn.effort,
      model,
      owner,
      conversationId,
      lineage,
      firstKey,
      knownReminders,
      keys: new Set([key]),
      bareKeys: new Set([bareKey]),
      seenCalls: new Set([...seenCalls, ...journal.seenCalls]),
      carriers: carriersOf(this.#exchange),
      tools: plan.kind === "results" ? plan.run.tools : turn.tools,
      madeUnder: seenSettings(turn, model.id),
      guard,
      isForced: isForcedCall(turn),
      bytes,
      pausedMs: services.clock.now(),
      pausedBy: record,
    });
    this.#release();
    record.clientCalls = this.#exchange.openCalls.length;
    publish("curlew:request:paused", record);
  }

  #noteUpstream(): void {
    const { turn, context } = this.#task.request;
    noteUpstream(context.record, this.#exchange);
    const { id } = this.plan.conversation;
    const { conversationId = id } = this.#steps.journal.checkpoint ?? {};
    // The run lost its stream while it waited, and the history was sent again under another id.
    if (conversationId !== id) context.record.sentAgainTokens ||= tokensIn(historyOf(turn.messages));
  }

  #recordUsage({ usage, turn }: { readonly usage: Usage; readonly turn?: Usage }): void {
    const { record } = this.#task.request.context;
    record.usage = usage;
    if (turn === undefined) return;
    this.#heard = "usage";
    noteTurnUsage(record, turn);
  }

  #release(): void {
    const { services, request } = this.#task;
    services.openExchanges.delete(this.#exchange);
    request.context.signal.removeEventListener("abort", this.#leave);
  }
}
