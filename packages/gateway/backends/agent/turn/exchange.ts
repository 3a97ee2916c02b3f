import { randomUUID } from "node:crypto";
import type { TokenSource } from "../../../account/token.js";
import { finishInSlices } from "../../../system/clock.js";
import type { SentResult } from "../../../turn/blocks.js";
import { GatewayError } from "../../../turn/error.js";
import type { SentTurn } from "../../../turn/turn.js";
import type { Carriage, ClientCall, StartContext } from "../../backend.js";
import type { BackendParts, ClaimedClient, Misfit } from "../../backend-parts.js";
import { shownWords, toGatewayError } from "../../cursor/errors.js";
import type { UpstreamFailure } from "../../cursor/failure.js";
import { BaseExchange, tokensNearWindow } from "../../exchange/index.js";
import type { FamilyRules } from "../../profile/index.js";
import { type Drift, writtenAnswers } from "../answers/questions.js";
import { withToolLines } from "../answers/tool-lines.js";
import { BlobStore } from "../request/blobs.js";
import { encodeRun } from "../request/run-request.js";
import { type WireTools, wireTools } from "../request/tool-definitions.js";
import type { RunOpener } from "../transport/open-run.js";
import type { RunChannel, RunSink } from "../transport/run-channel.js";
import { type AskedCall, encodeCallResult } from "./asked-call.js";
import { ClientCalls } from "./client-calls.js";
import { countedTokens, hadDynamicTools } from "./decode.js";
import { EndWatch, Liveness, type LivenessLimits } from "./liveness.js";
import { ModelShapes, Retries, type RetriesDeps } from "./retries.js";
import { TurnReader } from "./turn-reader.js";

/** Raw input that may wait for a slow reader before we stop reading. */
const MAX_HELD_BYTES = 16 * 1024;

const ENDED_EARLY =
  "Cursor ended the stream before the turn was complete. Try again; if it keeps happening, run `curlew doctor`.";
const BLOB_MISSING =
  "Cursor asked for a part of the conversation that Curlew no longer has. Send the conversation again.";
/** It reaches no client, because the turn has ended already. */
const LEFT_OPEN = "Cursor left the stream open after the end of the turn.";

export interface TurnSettings extends LivenessLimits {
  readonly retries: number;
  /** The pause before the first retry. */
  readonly retryPauseMs: number;
  /** How long to wait for another parallel call where the server gives no sign that all have come. */
  readonly quietMs: number;
  /** How long to wait for a call that the server has listed, or that the staged checkpoint names (docs/protocol/live-behaviour.md). */
  readonly namedCallMs: number;
  /** Whether calls of Cursor's built-in tools become calls of the client's equivalent tools. */
  readonly mapNativeTools: boolean;
  /** Whether Cursor's servers may search the web and fetch pages for the model. */
  readonly webTools: boolean;
}

type Parts = Pick<BackendParts<TurnSettings>, "settings" | "fingerprint" | "loadMisfit" | "clock" | "log">;

export interface ExchangeDeps extends Parts, Pick<RetriesDeps, "goesAround" | "random"> {
  readonly tokens: TokenSource;
  readonly client: ClaimedClient;
  readonly runs: RunOpener;
  readonly rulesOf: (modelId: string) => FamilyRules;
  /** Whether a run that is resumed after calls keeps its conversation's id. */
  readonly takesLeftIds: boolean;
  readonly drift: Drift;
}

/** One turn at Cursor: a run that stays open over any number of replies, retried only where nothing is said or done twice. */
export class AgentExchange extends BaseExchange implements RunSink {
  readonly #deps: ExchangeDeps;
  readonly #wire: WireTools;
  /** What the run begins with. Dropped at the first pause: a parked run must not keep the whole conversation in memory. */
  #opening: Pick<StartContext, "state"> & Pick<SentTurn, "messages">;
  readonly #context: Pick<StartContext, "requestId" | "model" | "conversationId" | "estimatedTokens">;
  readonly #blobs: BlobStore;
  readonly #reader: TurnReader;
  readonly #calls: ClientCalls;
  readonly #endWatch: EndWatch;
  readonly #liveness: Liveness;
  readonly #retries: Retries;
  readonly #shapes: ModelShapes;
  readonly #leaving = new AbortController();
  #misfit: Misfit | undefined;
  /** The version that the newest attempt claims. */
  #claimed = "";
  #stream: RunChannel | undefined;
  readonly #onFailedAttempt: StartContext["onFailedAttempt"];
  readonly #onDynamicTools: StartContext["onDynamicTools"];
  #settleAttempt: (error: GatewayError | undefined) => void = () => {};

  constructor(turn: SentTurn, context: StartContext, deps: ExchangeDeps) {
    const { client, clock, settings, goesAround, random } = deps;
    const { estimatedTokens, cachedTokens } = context;
    super({ clock, quietMs: settings.quietMs, estimatedTokens, cachedTokens });
    const { requestId, model, conversationId, state, record, newCallId, callable } = context;
    this.#context = { requestId, model, conversationId, estimatedTokens };
    this.#shapes = new ModelShapes(model, context.onShape);
    this.#opening = { state, messages: turn.messages };
    this.#onFailedAttempt = context.onFailedAttempt;
    this.#onDynamicTools = context.onDynamicTools;
    this.#deps = deps;
    this.#blobs = new BlobStore(context.blobs);
    const { maxRetries = settings.retries } = context;
    this.#calls = new ClientCalls({ newCallId, record, fingerprint: deps.fingerprint });
    this.#endWatch = new EndWatch(clock, () => this.#leaveOpenStream());
    this.#liveness = new Liveness(settings, clock);
    const { retries, retryPauseMs } = settings;
    const givesWay = (error: GatewayError) => client.givesWay?.(error, this.#claimed) === true;
    const attempts = { maxRetries: Math.min(retries, maxRetries), retryPauseMs, goesAround, givesWay, random };
    this.#retries = new Retries(attempts);
    const { schema, dynamicTools } = deps.rulesOf(model.id);
    this.#wire = wireTools(turn.tools, schema?.refuses);
    const { tools, clientName } = this.#wire;
    const system = (model.hasDynamicTools ?? dynamicTools) ? withToolLines(turn.system, tools) : turn.system;
    this.#reader = new TurnReader({
      mapsNativeTools: settings.mapNativeTools,
      namedCallMs: settings.namedCallMs,
      clientName,
      answers: {
        system,
        tools,
        callable: this.#wire.renamed(callable),
        allowsWeb: settings.webTools,
        blobs: this.#blobs,
        onMissingBlob: () => this.#refuseBlankHistory(),
        drift: deps.drift,
        written: writtenAnswers(system, tools),
      },
      calls: this.#calls,
      replies: this.replies,
      clock,
      write: (frame) => this.#stream?.write(frame),
      onAsked: (asked) => this.#checkArguments(asked),
      onNotice: (notice) => {
        deps.log.warn({ requestId, notice }, "notice from Cursor");
        this.warn(`Cursor says: ${shownWords(notice)}`);
      },
      onSettled: (turnId) => this.#learnDynamicTools(turnId),
    });
  }

  get openCalls(): readonly ClientCall[] {
    return this.#reader.isTurnEnded ? [] : this.#calls.open;
  }

  override carriage(callId: string): Carriage {
    return this.#calls.carriage(callId);
  }

  answer(result: SentResult): void {
    const asked = this.#calls.answer(result);
    if (asked === undefined) return;
    const { clock } = this.#deps;
    this.#liveness.lastProgressMs = clock.now();
    for (const frame of encodeCallResult(asked, result, clock.elapsed())) this.#stream?.write(frame);
  }

  /** Called about once a second. `isLate` says that far more time has passed. */
  tick(nowMs: number, isLate: boolean): void {
    if (this.#stream !== undefined) this.#liveness.tick(this.#stream, this.#calls.asked, nowMs, isLate);
  }

  // The methods of RunSink, called by one attempt.

  message(bytes: Buffer, start: number, end: number): void {
    this.#reader.read(bytes, start, end);
  }

  flush(): void {
    this.#reader.onChunkEnd();
    const stream = this.#stream;
    if (stream === undefined) return;
    this.#reader.watchGroup();
    if (this.#reader.hasModelSpoken) this.#shapes.onSpoken();
    if (this.#reader.takeProgress()) this.#liveness.lastProgressMs = stream.lastInMs;
    if (this.#reader.isTurnEnded) this.#endWatch.onTurnEnded(this.#reader.isTurnSettled);
    if (this.replies.commit()) stream.heldBytes = 0;
    else if (stream.heldBytes > MAX_HELD_BYTES) stream.pause();
  }

  judge(failure: UpstreamFailure): GatewayError {
    const { state } = this.#opening;
    // An agent's conversation grows with its tool rounds: each begins another reply of the same turn.
    const isUnheard = this.replies.isEmpty && this.#calls.asked.size === 0;
    const sizeOf = () =>
      tokensNearWindow(this.#context, this.replies.meter.countedTokens || (state && countedTokens(state)));
    const error = toGatewayError(failure, {
      nearWindowTokens: isUnheard ? sizeOf() : undefined,
      contextTokens: this.#context.model.contextTokens,
      nowMs: this.#deps.clock.now(),
    });
    this.#shapes.onFailure(failure, error);
    return error;
  }

  ended(error: GatewayError | undefined): void {
    this.#stream = undefined;
    this.#settleAttempt(error);
  }

  protected async run(): Promise<void> {
    const { clock, tokens, log, takesLeftIds } = this.#deps;
    const { requestId } = this.#context;
    const originalRequestId = randomUUID();
    if (this.#wire.projected.size > 0) this.#misfit = await this.#deps.loadMisfit();
    for (let attemptId = originalRequestId; ; attemptId = randomUUID()) {
      const token = tokens.current() ?? (await tokens.get(this.#leaving.signal));
      const failure = await this.#attempt(token, attemptId, originalRequestId);
      if (this.isOver) return;
      if (this.#reader.isTurnEnded) return this.finish("stop"); // the answer is complete, whatever happens to the stream after it
      const error = failure ?? new GatewayError("upstream_error", ENDED_EARLY, { isRetryable: true });
      const { hasModelSpoken, resumable: state } = this.#reader;
      const canResume = state !== undefined && !this.#calls.hasUnresumableCall;
      const isShapeInDoubt = !hasModelSpoken && this.#shapes.isInDoubt;
      const next = this.#retries.after(error, { hasModelSpoken, canResume, isShapeInDoubt });
      this.#onFailedAttempt?.(error, next.type !== "none");
      switch (next.type) {
        case "other-shape":
          this.#shapes.takeOther();
          log.warn({ requestId, code: error.code }, "retrying a turn with another name of its model");
          break;
        case "resume":
          this.#opening = { state, messages: [] };
          // Cursor refuses some ids of conversations that were left with an open call (docs/protocol/live-behaviour.md).
          if (this.#calls.asked.size > 0 && !takesLeftIds) this.#reader.conversationId = randomUUID();
          log.warn({ requestId, code: error.code }, "resuming a turn from its checkpoint");
          break;
        case "renew-token":
          await tokens.renew(token, this.#leaving.signal);
          break;
        case "at-once":
          break;
        case "later":
          log.warn({ requestId, code: error.code, attempt: next.attempt, delayMs: next.delayMs }, "retrying a turn");
          break;
        case "none":
          if (isShapeInDoubt) this.#shapes.onAllRefused(error);
          throw next.error;
      }
      if ("delayMs" in next && next.delayMs > 0) await clock.sleep(next.delayMs, this.#leaving.signal);
      if (this.isOver) return;
      this.meter.runs++;
      this.meter.retries++;
    }
  }

  protected leave(reason: GatewayError): void {
    this.#leaving.abort();
    this.#stream?.cancel(reason);
  }

  protected override letGo(): void {
    this.#endWatch.reset();
  }

  protected override onTaken(): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    stream.heldBytes = 0;
    if (!stream.isPaused) return;
    this.#liveness.lastProgressMs = this.#deps.clock.now();
    stream.resume();
  }

  protected override onPause(): void {
    this.#calls.onPause();
    if (this.#stream === undefined) return; // another stream is being opened, and its beginning includes what follows
    this.#opening = { state: undefined, messages: [] };
    this.#blobs.letGoOfMessages();
  }

  /** Resolves when the stream has ended, with its error. A short request is sent before this returns, if it can be. */
  async #attempt(token: string, requestId: string, originalRequestId: string): Promise<GatewayError | undefined> {
    const ended = new Promise<GatewayError | undefined>((resolve) => {
      this.#settleAttempt = resolve;
    });
    const { tools, wireName } = this.#wire;
    const hasTools = tools.length > 0;
    const { webTools: allowsWeb } = this.#deps.settings;
    const conversationId = this.#reader.conversationId ?? this.#context.conversationId;
    const model = this.#shapes.begin();
    const { state, messages } = this.#opening;
    const { runs } = this.#deps;
    let opening: Buffer;
    this.#claimed = this.#deps.client.version;
    try {
      const blobs = this.#blobs;
      const encoding = encodeRun({ state, messages, tools, wireName, model, conversationId, originalRequestId, blobs });
      const first = encoding.next();
      opening = first.done === true ? first.value : await finishInSlices(encoding);
      const run = { token, requestId, originalRequestId, hasTools, allowsWeb };
      this.#stream = runs.openNow(run, this) ?? (await runs.open(run, this));
    } catch (thrown) {
      return GatewayError.from(thrown);
    }
    this.#reader.onNewStream();
    this.#endWatch.reset();
    this.#liveness.onNewRun(this.#deps.clock.now());
    this.#calls.onNewStream();
    this.replies.ignoreQuiet();
    if (this.brokenOffBy !== undefined) this.#stream.cancel(this.brokenOffBy);
    else this.#stream.write(opening);
    return ended;
  }

  /** See docs/decisions/0004-checkpoints-whenever-they-come.md. A conversation that was sent whole has nothing better to start from. */
  #refuseBlankHistory(): void {
    if (this.#opening.state === undefined || this.#reader.hasModelSpoken) return;
    throw new GatewayError("blob_missing", BLOB_MISSING); // the gateway starts the turn anew when it sees this code
  }

  /** Arguments for a projected schema may not fit the client's own. The client gets the call anyway. */
  #checkArguments({ name, input }: AskedCall): void {
    const tool = this.#wire.projected.get(name);
    const misfit = tool && this.#misfit?.(tool.inputSchema, input);
    if (misfit === undefined) return;
    this.#deps.log.warn({ requestId: this.#context.requestId, tool: name, misfit }, "arguments do not fit their tool");
    this.warn(`The arguments of a call to ${name} do not fit its schema, and are passed on as they are: ${misfit}.`);
  }

  #learnDynamicTools(turnId: Uint8Array): void {
    const { tools } = this.#wire;
    const turn = tools.length === 0 ? undefined : this.#blobs.get(turnId);
    const isDynamic = turn && hadDynamicTools(turn, tools);
    if (isDynamic !== undefined) this.#onDynamicTools?.(isDynamic);
  }

  /** The turn has ended and its stream has not: only that stream is reset, and the session keeps serving others. */
  #leaveOpenStream(): void {
    if (this.#stream?.isPaused)
      this.#endWatch.wait(); // unread input may contain the checkpoint
    else this.#stream?.cancel(new GatewayError("upstream_error", LEFT_OPEN));
  }
}
