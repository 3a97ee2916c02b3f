import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type ConversationStateStructure, ConversationStepSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { directedFailure } from "../../model/directed-failure.js";
import type { TurnUsage } from "../../model/directives.js";
import { type Plan, planModelCall, type Situation } from "../../model/plan.js";
import type { Act, Ask } from "../../model/script.js";
import type { PromptPiece } from "../../model/tokens.js";
import type { AssistantPart, ToolCall } from "../../model/transcript.js";
import { counting, inWords } from "../../model/words.js";
import { blobId } from "../../server/blob-id.js";
import type { Clock } from "../../server/clock.js";
import type { Stats } from "../../server/stats.js";
import { type Answered, askAll, type OpenAsk } from "../channels/asking.js";
import type { Execs } from "../channels/execs.js";
import type { Injections } from "../channels/injections.js";
import type { Queries } from "../channels/queries.js";
import type { Conversation } from "../state/conversation.js";
import type { Speech } from "../transport/speech.js";
import { updateBytes, type Voice } from "../transport/voice.js";
import type { BreakMemory } from "./break-memory.js";
import type { Meter } from "./meter.js";

export interface TurnDeps {
  conversation: Conversation;
  /** Everything but the conversation itself. */
  situation: Omit<Situation, "entries">;
  /** The part of the prompt before the messages. */
  head: PromptPiece;
  maxTokens: number;
  voice: Voice;
  speech: Speech;
  execs: Execs;
  queries: Queries;
  injections: Injections;
  meter: Meter;
  breakMemory: BreakMemory;
  clock: Clock;
  /** Whether each call is preceded by an approval question. */
  asksApproval: boolean;
  /** Whether the number of calls is sent before each batch of them. */
  listsCalls: boolean;
  /** Pause between the calls of a batch. */
  callGapMs: number;
  /** Whether the final checkpoints are left out. */
  endsBare: boolean;
  /** Whether each checkpoint names a blob that the client never got. */
  losesBlobs: boolean;
  stats(): Stats;
  recordUsage(usage: TurnUsage): void;
  sleep(ms: number): Promise<void>;
  /** Requests the client's context this many times, and ignores the answers. */
  flood(count: number): Promise<void>;
  newCallId(): string;
}

export type BreakKind =
  /** The stream is reset. */
  | "reset"
  /** It ends with an end frame, but without the end of the turn. */
  | "ended"
  /** It ends without an end frame. */
  | "bare"
  /** The connection ends, with a GOAWAY. */
  | "closed";

/** The run breaks off, because a directive or an option says so. */
export class BrokenOff extends Error {
  readonly kind: BreakKind;

  constructor(kind: BreakKind) {
    super(`broken off: ${kind}`);
    this.kind = kind;
  }
}

/** The id of content that does not exist. */
const LOST_BLOB = blobId(Buffer.from("lost"));
/** No script is that long, so a longer turn would be a bug of the simulator. */
const MAX_MODEL_CALLS = 10_000;

/** One user turn: model calls and their questions, up to the last checkpoint. */
export class Turn {
  readonly #deps: TurnDeps;
  #modelCalls = 0;
  #lastCheckpoint: ConversationStateStructure | undefined;

  constructor(deps: TurnDeps) {
    this.#deps = deps;
  }

  async play(opening: Plan = this.#plan()): Promise<void> {
    let plan = opening;
    const [first] = plan.acts;
    // A limit is reported at once, before anything of the turn is stored.
    if (first?.type === "fail") throw directedFailure(first.code, first.error);
    await this.#deps.conversation.save();
    await this.#modelCall(plan);
    while ((await this.#hear()) || plan.asks.length > 0) {
      if (this.#modelCalls >= MAX_MODEL_CALLS) throw new ConnectError("The script never ends", Code.Internal);
      plan = this.#plan();
      await this.#modelCall(plan);
    }
    await this.#end(plan.usage);
  }

  /** Plays a turn in which the model uses one of Cursor's own tools first, whatever the headers say. */
  async playWithNativeTool(): Promise<void> {
    const ask: Ask = { type: "native", kind: "shell", label: "native shell", args: { command: "ls" } };
    await this.play({ acts: [], asks: [{ ask }], usage: undefined });
  }

  /** Plays a turn in which the model says and asks nothing. */
  async endAtOnce(): Promise<void> {
    await this.#deps.conversation.save();
    await this.#end(undefined);
  }

  /** Appends the text injected since the last model call. Returns whether there was any. */
  async #hear(): Promise<boolean> {
    const { injections, conversation, voice } = this.#deps;
    const texts = await injections.deliver();
    for (const text of texts) {
      conversation.append({ role: "user", text, images: [] });
      await voice.update({ case: "userMessageAppended", value: { userMessage: { text } } });
    }
    return texts.length > 0;
  }

  #plan(): Plan {
    const { situation, conversation } = this.#deps;
    return planModelCall({ ...situation, entries: conversation.entries });
  }

  async #modelCall(plan: Plan): Promise<void> {
    const { voice, clock } = this.#deps;
    this.#modelCalls += 1;
    const stepId = BigInt(this.#modelCalls);
    const startedAt = clock.now();
    await voice.update({ case: "stepStarted", value: { stepId } });
    const asks = plan.asks.map(({ ask, id }): OpenAsk => ({ ask, id: id ?? this.#deps.newCallId() }));
    const isRepeated = plan.acts.length === 0 && plan.asks.every(({ id }) => id !== undefined) && asks.length > 0;
    if (!isRepeated) await this.#think(plan, asks);
    await this.#ask(asks);
    const stepDurationMs = BigInt(clock.now() - startedAt);
    await voice.update({ case: "stepCompleted", value: { stepId, stepDurationMs } });
  }

  /** Plays one model call: it reads, speaks and asks, and the conversation records all of it. */
  async #think(plan: Plan, asks: readonly OpenAsk[]): Promise<void> {
    const { conversation, meter, head, stats } = this.#deps;
    const read = meter.read(conversation.prompt(head));
    if (plan.usage === undefined) {
      stats().inputTokens += read.input;
      stats().cacheReadTokens += read.cacheRead;
    }
    const parts: AssistantPart[] = [];
    const spoken = plan.acts.findIndex(({ type }) => type !== "think");
    const opening = spoken === -1 ? plan.acts.length : spoken;
    for (const act of plan.acts.slice(0, opening)) parts.push(...(await this.#act(act)));
    if (this.#lastCheckpoint === undefined) await this.#checkpoint([]);
    for (const act of plan.acts.slice(opening)) parts.push(...(await this.#act(act)));
    const isNew = (open: OpenAsk) => !plan.asks.some(({ id }) => id === open.id);
    parts.push(...asks.filter(isNew).map((open): AssistantPart => ({ type: "tool-call", ...toCall(open) })));
    this.#writeDown(joinTexts(parts));
  }

  async #act(act: Act): Promise<AssistantPart[]> {
    const { speech, voice, clock, sleep } = this.#deps;
    switch (act.type) {
      case "think": {
        const startedAt = clock.now();
        await speech.stream("thinking", inWords(act.text));
        const thinkingDurationMs = clock.now() - startedAt;
        await voice.update({ case: "thinkingCompleted", value: { thinkingDurationMs } });
        return [{ type: "reasoning", text: act.text }];
      }
      case "say":
      case "refuse":
        await speech.stream("text", inWords(act.text));
        return [{ type: "text", text: act.text }];
      case "notice":
        await voice.update({ case: "textDelta", value: { text: act.text, isServerNotice: true } });
        return [];
      case "stream":
        await speech.stream("text", counting(act.count));
        return [{ type: "text", text: [...counting(act.count)].join("") }];
      case "flood":
        await this.#deps.flood(act.count);
        return [];
      case "wait":
        await sleep(act.ms);
        return [];
      case "fail":
        throw directedFailure(act.code, act.error);
      case "update":
        await voice.sendBytes(updateBytes(act.field));
        return [];
      case "drop":
      case "end":
      case "goaway":
        if (act.isOnce === true && !this.#isFirstTime(act.at)) return [];
        if (act.type !== "goaway") throw new BrokenOff(act.type === "drop" ? "reset" : "ended");
        if (act.isCut === true) throw new BrokenOff("closed");
        voice.sink.goAway();
        return [];
    }
  }

  #isFirstTime(at: number): boolean {
    const { conversation, breakMemory } = this.#deps;
    const newest = conversation.entries.findLast((entry) => entry.role === "user");
    return breakMemory.isFirstTime(newest?.role === "user" ? newest.text : "", at);
  }

  #writeDown(parts: readonly AssistantPart[]): void {
    const { conversation, meter } = this.#deps;
    for (const part of parts) {
      if (part.type === "tool-call") {
        meter.write(Buffer.byteLength(part.toolName + JSON.stringify(part.args)), false);
        continue;
      }
      meter.write(Buffer.byteLength(part.text), part.type === "reasoning");
      this.#step(
        part.type === "text"
          ? { case: "assistantMessage", value: { text: part.text } }
          : { case: "thinkingMessage", value: { text: part.text } },
      );
    }
    if (parts.length === 0) return;
    const id = String(conversation.entries.filter(({ role }) => role === "assistant").length + 1);
    conversation.append({ role: "assistant", id, parts });
  }

  async #ask(asks: readonly OpenAsk[]): Promise<void> {
    if (asks.length === 0) return;
    const { conversation, voice, execs, queries, sleep, newCallId, asksApproval, listsCalls, callGapMs } = this.#deps;
    let pending = asks.map(toCall);
    const onAnswered = async ({ open, text, view }: Answered) => {
      pending = pending.filter(({ toolCallId }) => toolCallId !== open.id);
      const { toolCallId, toolName } = toCall(open);
      conversation.append({ role: "tool", results: [{ toolCallId, toolName, result: text }] });
      if (view !== undefined) this.#step({ case: "toolCall", value: view });
      await this.#checkpoint(pending);
    };
    const onStaged = async () => {
      await this.#checkpoint(pending);
    };
    const parts = { voice, execs, queries, sleep, asksApproval, listsCalls, callGapMs };
    await askAll(asks, { ...parts, modelCallId: newCallId(), onStaged, onAnswered });
  }

  #step(message: NonNullable<MessageInitShape<typeof ConversationStepSchema>["message"]>): void {
    this.#deps.conversation.appendStep(create(ConversationStepSchema, { message }));
  }

  async #checkpoint(pending: readonly ToolCall[]): Promise<void> {
    const state = await this.#state(pending);
    this.#lastCheckpoint = state;
    if (pending.length > 0) this.#deps.stats().checkpointsStaged += 1;
    await this.#deps.voice.send({ case: "conversationCheckpointUpdate", value: state });
  }

  async #state(pending: readonly ToolCall[], reported?: TurnUsage): Promise<ConversationStateStructure> {
    const { conversation, meter, maxTokens, losesBlobs } = this.#deps;
    // A directive sets the usage of the whole turn: that is the context's only after a single model call.
    const usedTokens =
      reported !== undefined && this.#modelCalls === 1 ? reported.input + reported.output : meter.contextTokens;
    const state = await conversation.checkpoint(pending, { usedTokens, maxTokens });
    if (losesBlobs) state.summary = LOST_BLOB;
    return state;
  }

  async #end(override: TurnUsage | undefined): Promise<void> {
    const { meter, voice, stats, endsBare, injections, recordUsage } = this.#deps;
    await injections.close();
    const final = await this.#state([], override);
    const usage = override ?? meter.usage;
    recordUsage(usage);
    if (override !== undefined) {
      stats().inputTokens += usage.input;
      stats().cacheReadTokens += usage.cacheRead;
    }
    await voice.update({
      case: "turnEnded",
      value: {
        inputTokens: BigInt(usage.input),
        outputTokens: BigInt(usage.output),
        cacheReadTokens: BigInt(usage.cacheRead),
        cacheWriteTokens: BigInt(usage.cacheWrite),
        reasoningTokens: BigInt(usage.reasoning),
      },
    });
    if (endsBare) return;
    // The checkpoint from before the answer comes again, then the final one twice, as Cursor sends them (docs/protocol/wire.md,
    // messages). Only the last one counts.
    const states = [this.#lastCheckpoint, final, final].filter((state) => state !== undefined);
    for (const value of states) await voice.send({ case: "conversationCheckpointUpdate", value });
  }
}

function toCall({ id, ask }: OpenAsk): ToolCall {
  return { toolCallId: id, toolName: ask.label, args: ask.args };
}

function joinTexts(parts: readonly AssistantPart[]): AssistantPart[] {
  const joined: AssistantPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "tool-call" || last?.type !== part.type) joined.push(part);
    else joined[joined.length - 1] = { type: part.type, text: last.text + part.text };
  }
  return joined;
}
