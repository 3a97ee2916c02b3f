import { randomUUID } from "node:crypto";
import type { Exchange } from "../backends/backend.js";
import { publish } from "../events/index.js";
import { seenSettings } from "../sessions/made-calls.js";
import { carriersOf } from "../sessions/parking.js";
import { MissingToolWatch } from "../tools/missing-tool.js";
import { isForcedCall } from "../tools/tool-choice.js";
import { GatewayError } from "../turn/error.js";
import { addUsage, type Batch, type TurnEvent, type TurnEvents, type Usage } from "../turn/event.js";
import type { UserMessage } from "../turn/turn.js";
import { historyOf, tokensIn } from "./cache-miss.js";
import type { OpenRun } from "./open.js";
import { type ColdPlan, planAnew, planInWords, type ResumePlan, type RunPlan } from "./plan.js";
import { batches } from "./reply.js";
import { park, ReplyState } from "./reply-state.js";
import type { ReplySteps } from "./reply-steps.js";
import { noteCutRun, noteTurnUsage, noteUpstream, type Task } from "./request.js";
import type { RunStarter } from "./run-starter.js";

/** The message to a model that has answered nothing to results. */
const GO_ON = "The results of your tool calls are above. Go on from there.";

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
  /** Whether the client has its finish. A failure after that is no failure of the reply. */
  #isWhole = false;
  #isNudged = false;
  #isAskedInWords = false;
  #isRepaired = false;
  readonly #state: ReplyState;
  /** Only where it is not certain that the model gets the tools of the request. */
  #missingTool: MissingToolWatch | undefined;
  /** Whether anything has come from the current run, for this reply or an earlier one, and whether its usage has. */
  #hasHeard: boolean;
  #isCounted = false;
  #wasted: Usage | undefined;
  readonly #leave = () => {
    this.#state.saveOpening(this.plan); // before anything else, for the user's next message may be on its way
    this.#exchange.close("client-left");
  };

  constructor(task: Task, starter: RunStarter, run: OpenRun, steps: ReplySteps) {
    this.#task = task;
    this.#starter = starter;
    this.#run = run;
    this.#steps = steps;
    this.#exchange = run.exchange;
    this.#hasHeard = run.plan.kind === "results";
    this.#state = new ReplyState(task, steps.journal);
    const isInDoubt = run.plan.kind === "resume" && run.plan.hasOtherTools;
    if (isInDoubt) this.#missingTool = new MissingToolWatch(task.request.turn.tools);
  }

  /** The plan that serves the reply; another one than at the beginning if the model had to be asked anew. */
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
    this.#hasHeard = true;
    for (const event of batch) if (event.type === "usage") this.#recordUsage(event);
  }

  /**
   * Called after each batch without a finish. The last checkpoint often comes some time before the end of the stream: it is stored
   * then, so that it is on disk when the client gets its finish. No finish waits for it, because a disk may take long.
   */
  saveLast(): void {
    const { journal, choice, format } = this.#steps;
    // An answer that has to be checked may turn out not to be acceptable.
    const isToBeChecked = !choice.isHonoured || format !== undefined || this.#missingTool !== undefined;
    if (journal.last !== undefined && !isToBeChecked) this.#state.save(this.plan, this.#exchange);
  }

  /** Called before the client sees the finish. @throws GatewayError `tool_call_missing` or `format_not_met` after a second try */
  async finish(batch: Batch): Promise<Finished> {
    this.#noteUpstream();
    const finished = await this.#settle(batch);
    this.#isWhole = finished.batch.at(-1)?.type === "finish";
    return finished;
  }

  /** Called once at the end, with or without an error. Returns a better error to report, if there is one. */
  end(failure?: GatewayError): GatewayError | undefined {
    const { health, request } = this.#task;
    this.#release();
    this.#noteUpstream();
    if (failure !== undefined && !this.#isWhole) {
      this.#state.saveOpening(this.plan);
      // Cursor has begun to answer, and will not say what that took.
      if (this.#hasHeard && !this.#isCounted) noteCutRun(request.context.record, this.#exchange);
    }
    if (failure !== undefined) health?.failed(failure);
    return request.permit.ended(this.#isWhole ? undefined : failure);
  }

  async #settle(batch: Batch): Promise<Finished> {
    const { services, request } = this.#task;
    const { limits, choice, format } = this.#steps;
    if (limits?.hasEnded === true) return this.#cutShort(batch);
    if (this.#exchange.openCalls.length > 0) {
      await this.#park();
      return { batch };
    }
    const inWords = this.#planInWords(batch);
    if (inWords !== undefined) return this.#askInWords(batch, inWords);
    if (this.#missesTools) return this.#startAnew(batch);
    if (!choice.isHonoured) return this.#nudge(batch);
    if (format?.fault !== undefined) return this.#repair(batch, format.fault);
    this.#state.save(this.plan, this.#exchange);
    this.#state.rememberCalls(this.plan);
    // Another gateway may have the run that waits for these results, and needs this reply to know where the next message goes on.
    if (this.plan.kind !== "results" && request.turn.messages.at(-1)?.role === "tool") {
      await services.store.flush().catch(services.onProblem);
    }
    return { batch: this.#wasted === undefined ? batch : batch.map((event) => this.#withWasted(event)) };
  }

  #planInWords(batch: Batch): ResumePlan | ColdPlan | undefined {
    const { request, backend } = this.#task;
    const end = batch.at(-1);
    const isEmpty = !this.#steps.journal.hasSpoken && end?.type === "finish" && end.reason === "stop";
    if (!isEmpty || this.#isAskedInWords || backend.can.startsWithoutWords !== true) return undefined;
    return planInWords(this.#run.plan, request.turn);
  }

  #askInWords(batch: Batch, plan: ResumePlan | ColdPlan): Promise<Finished> {
    this.#isAskedInWords = true;
    this.#steps.beginAgain({ isUnsent: true });
    return this.#goOn(batch, () => this.#starter.start(plan, this.#run.guard, [userMessage(GO_ON)]));
  }

  get #missesTools(): boolean {
    return this.#missingTool !== undefined && (!this.#steps.choice.isHonoured || this.#missingTool.hasHeard);
  }

  async #startAnew(batch: Batch): Promise<Finished> {
    const { turn } = this.#task.request;
    this.#missingTool = undefined;
    const plan = planAnew(this.#run.plan, { turn, newId: randomUUID() });
    this.#run = { ...this.#run, plan };
    this.#steps.beginAgain({ isUnsent: false });
    this.#steps.journal.forgetCheckpoints();
    return this.#goOn(batch, () => this.#starter.start(plan, this.#run.guard));
  }

  #nudge(batch: Batch): Promise<Finished> {
    if (this.#isNudged) throw choiceIgnored();
    this.#isNudged = true;
    this.#steps.beginAgain({ isUnsent: false });
    return this.#askAgain(batch, this.#steps.choice.nudge, choiceIgnored);
  }

  #repair(batch: Batch, fault: string): Promise<Finished> {
    const failed = () => formatNotMet(fault);
    if (this.#isRepaired) throw failed();
    this.#isRepaired = true;
    this.#steps.beginAgain({ isUnsent: true });
    const { check } = this.#task.request;
    const text = `Your last answer cannot be used: ${fault}. Give it again.\n\n${check?.instruction}`;
    return this.#askAgain(batch, text, failed);
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

  async #askAgain(batch: Batch, text: string, failed: () => GatewayError): Promise<Finished> {
    const { checkpoint } = this.#steps.journal;
    if (checkpoint === undefined) throw failed();
    const { guard } = this.#run;
    const { conversationId: id = this.plan.conversation.id } = checkpoint;
    const plan = { ...this.plan, conversation: { ...this.plan.conversation, id } };
    return this.#goOn(batch, () => this.#starter.goOn(plan, [userMessage(text)], checkpoint.state, guard));
  }

  /** Goes on with another run. What the first has taken counts for this reply. */
  async #goOn(batch: Batch, start: () => Promise<Exchange>): Promise<Finished> {
    const { services, request } = this.#task;
    const { openExchanges } = services;
    const taken = batch.find((event) => event.type === "usage")?.turn;
    if (taken !== undefined) this.#wasted = this.#wasted === undefined ? taken : addUsage(this.#wasted, taken);
    openExchanges.delete(this.#exchange);
    this.#exchange = await start();
    this.#hasHeard = false;
    this.#isCounted = false;
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
    const { knownReminders } = plan.conversation;
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
    // The run lost its stream while it waited, and the history went up again under another id.
    if (conversationId !== id) context.record.sentAgainTokens ||= tokensIn(historyOf(turn.messages));
  }

  #recordUsage({ usage, turn }: { readonly usage: Usage; readonly turn?: Usage }): void {
    const { record } = this.#task.request.context;
    record.usage = usage;
    if (turn === undefined) return;
    this.#isCounted = true;
    noteTurnUsage(record, turn);
  }

  #release(): void {
    const { services, request } = this.#task;
    services.openExchanges.delete(this.#exchange);
    request.context.signal.removeEventListener("abort", this.#leave);
  }
}

function userMessage(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
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
