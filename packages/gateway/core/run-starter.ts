import type { BlobStorage, Exchange, RecordedCall, RequestedModel, StartContext } from "../backends/backend.js";
import { yieldToOthers } from "../system/clock.js";
import type { SentResult } from "../turn/blocks.js";
import { estimatedInput } from "../turn/estimate.js";
import type { Pause } from "../turn/events/channels.js";
import { isLong } from "../turn/slices.js";
import type { Message, SentMessage, ToolDefinition, UserMessage } from "../turn/turn.js";
import { admitRun } from "./admission.js";
import type { RequestAttachments } from "./attachments/index.js";
import { BridgedExchange } from "./bridged-exchange.js";
import { cacheMissOf } from "./cache-miss.js";
import { keepResults } from "./kept-results.js";
import type { ColdPlan, ResumePlan } from "./plan.js";
import type { Task } from "./request.js";
import type { Services } from "./services.js";
import { mendTranscript } from "./sessions/mend-transcript.js";
import { noteLeft } from "./sessions/positions.js";
import type { LoopGuard } from "./tools/loop-guard.js";
import { type McpOffer, warnOfNamed } from "./tools/mcp/index.js";
import { toolChoiceInstruction } from "./tools/tool-choice.js";

export class RunStarter {
  /** Warnings for the client that the runs raise. The list grows while they run. */
  readonly raised: string[] = [];
  /** When the gateway's own tools ran. The list grows as well. */
  readonly pauses: Pause[] = [];
  readonly attached: RequestAttachments;
  readonly #task: Task;
  readonly #images: boolean | "links";
  #offer: McpOffer | undefined;

  constructor(task: Task) {
    this.#task = task;
    const { services, request, backend, model } = task;
    const { turn, context } = request;
    this.#images = model.canSeeImages !== false && backend.can.images;
    const { signal } = context;
    this.attached = services.attachments.ofRequest({ turn, images: this.#images, signal });
  }

  get warnings(): readonly string[] {
    const { request, services } = this.#task;
    const { check, turn } = request;
    return [
      ...(check?.warnings ?? []),
      ...this.attached.warnings,
      ...(turn.mcpServers ? warnOfNamed(turn.mcpServers, (this.#isBridged && services.bridge?.addresses) || []) : []),
      ...(this.#offer?.warnings ?? []),
    ];
  }

  /** Collects what a run reports during this reply. Of the request, a waiting run keeps only the lists and the record. */
  listenTo(exchange: Exchange): void {
    const { raised, pauses } = this;
    exchange.onWarning((warning) => raised.push(warning));
    exchange.onOwnTools?.((pause) => pauses.push(pause));
    const { guard } = this.#task.services;
    const { record } = this.#task.request.context;
    exchange.onRound?.((usage) => guard?.admitRound(record, usage));
  }

  /** Starts the run of a plan if that needs no await: few messages, all text, and no tools of the gateway. */
  // Without this path, a short request makes 57 promises instead of 51 (docs/decisions/0006-one-entrance-one-stretch.md).
  startNow(plan: ResumePlan | ColdPlan): Exchange | undefined {
    const { openRuns } = this.#task.services;
    if (!openRuns.hasRoom || this.#isBridged || plan.priorCalls.length > 0 || isLong(plan.messages)) return undefined;
    const messages = this.attached.textMessages(this.#instructed(plan));
    if (messages === undefined) return undefined;
    openRuns.begin();
    return this.#begin(plan, messages, []);
  }

  /** Starts the run of a plan, with words of the gateway appended. */
  async start(plan: ResumePlan | ColdPlan, guard: LoopGuard, words?: string): Promise<Exchange> {
    const ours: UserMessage[] = words === undefined ? [] : [{ role: "user", content: [{ type: "text", text: words }] }];
    const messages = [...this.#instructed(plan), ...ours];
    const { services, request } = this.#task;
    const { turn, owner } = request;
    if (this.#isBridged) this.#offer ??= await services.bridge?.offer(turn);
    const offer = this.#offer;
    const sent = await this.attached.messages(messages);
    if (isLong(messages)) await yieldToOthers();
    const read = async (call: RecordedCall) => ({
      ...call,
      result: call.result && (await this.attached.result(call.result)),
    });
    const record = await Promise.all(plan.priorCalls.map(read));
    const place = admitRun(request, services);
    if (place !== "pass") await place;
    const exchange = this.#begin(plan, sent, record);
    if (offer === undefined || offer.tools.length === 0) return exchange;
    const bridged = new BridgedExchange({
      clock: services.clock,
      exchange,
      offer,
      guard,
      reader: this.#lastingReader(),
      kept: keepResults(services.store, owner, plan.conversation),
      isResumed: plan.kind === "resume" && messages.length === 0,
    });
    this.listenTo(bridged);
    return bridged;
  }

  /** Begins a run that has its place among the open runs, and releases the place when it is over. */
  #begin(
    plan: ResumePlan | ColdPlan,
    messages: readonly SentMessage[],
    record: readonly RecordedCall<SentResult>[],
  ): Exchange {
    const { services, request, backend, model, catalogue, history } = this.#task;
    const { turn, callable, context, owner, permit } = request;
    const { openRuns, store } = services;
    const { id: conversationId, formerId, lineage } = plan.conversation;
    if (formerId !== undefined) noteLeft(store, owner, lineage, formerId);
    let exchange: Exchange;
    try {
      const offered = this.#offer?.tools ?? [];
      const tools = this.#withOffered(turn.tools, offered);
      const estimatedTokens = estimatedInput({ system: turn.system, tools, messages: turn.messages });
      const isCached = plan.kind === "resume" && cacheMissOf(plan, turn, model.id, this.#task.known) === undefined;
      const newTokens = isCached ? estimatedInput({ system: "", tools: [], messages: plan.messages }) : estimatedTokens;
      const cachedTokens = Math.max(0, estimatedTokens - newTokens);
      context.record.plannedTokens = estimatedTokens;
      context.record.plannedCachedTokens = cachedTokens;
      const isFree = turn.toolChoice.type === "auto" || turn.toolChoice.type === "required";
      exchange = backend.start(
        { ...turn, tools, messages },
        {
          requestId: context.record.requestId,
          model,
          conversationId,
          state: plan.kind === "resume" ? plan.state : undefined,
          estimatedTokens,
          cachedTokens,
          record,
          callable: isFree ? this.#withOffered(callable, offered) : callable,
          blobs: blobsOf(store, owner, lineage),
          maxRetries: history.maxRetries,
          newCallId: turn.newCallId ?? services.newIds.call,
          onFailedAttempt(error, isRetried) {
            services.onFailedAttempt(error, isRetried);
            if (isRetried) permit.retrying(error);
          },
          ...learners(catalogue, model),
        },
      );
    } catch (thrown) {
      openRuns.end();
      throw thrown;
    }
    exchange.onOver(openRuns.end);
    this.listenTo(exchange);
    return exchange;
  }

  #instructed(plan: ResumePlan | ColdPlan): readonly Message[] {
    const { turn, check } = this.#task.request;
    const choice = toolChoiceInstruction(turn.toolChoice, turn.parallelToolCalls);
    return instruct(mendTranscript(plan.messages), choice, check?.instruction ?? "");
  }

  #withOffered(tools: readonly ToolDefinition[], offered: readonly ToolDefinition[]): readonly ToolDefinition[] {
    return offered.length === 0 ? tools : this.#task.services.toolLists.same([...tools, ...offered]);
  }

  /** A reader without a reference to the request: a run may wait for the client long after it. */
  #lastingReader(): RequestAttachments {
    const { signal } = new AbortController();
    const { attachments } = this.#task.services;
    return attachments.ofRequest({ turn: { messages: [] }, images: this.#images, signal });
  }

  /** Whether the model is offered the gateway's own tools, too. The conversation's key has none of them: a server may come and go. */
  get #isBridged(): boolean {
    const { services, request, backend } = this.#task;
    const isOwner = request.context.account === undefined;
    return services.bridge?.hasServers === true && isOwner && backend.can.tools && request.toName === undefined;
  }
}

/** A waiting run keeps these functions, so they must not refer to a request. */
function learners(
  catalogue: Task["catalogue"],
  { id, shapes }: RequestedModel,
): Pick<StartContext, "onShape" | "onDynamicTools"> {
  return {
    onShape: shapes && ((worked, isCertain) => catalogue.learnShape(shapes, worked, isCertain)),
    onDynamicTools: (isDynamic) => catalogue.learnDynamicTools(id, isDynamic),
  };
}

/** The content of one lineage. A waiting run keeps this object, so it must not refer to a request. */
function blobsOf(store: Services["store"], owner: string, lineage: string): BlobStorage {
  return {
    get: (id) => store.getBlob(owner, lineage, id),
    put: (id, data) => store.putBlob(owner, lineage, id, data),
  };
}

/**
 * Cursor's protocol has no fields for tool choice and format, so the instructions go into the newest user message: the transcript
 * before it must not change. A tool choice concerns only the reply to that message, a format also the reply after the calls.
 */
function instruct(messages: readonly Message[], choice: string, format: string): readonly Message[] {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const newest = messages[at];
  const instructions = [at === messages.length - 1 ? choice : "", format].filter((text) => text !== "");
  if (instructions.length === 0 || newest?.role !== "user") return messages;
  const content = [...newest.content, { type: "text" as const, text: `\n\n${instructions.join("\n\n")}` }];
  return messages.with(at, { role: "user", content });
}
