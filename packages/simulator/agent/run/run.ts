// run/: one agent stream from its first message to its end.
import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentRunRequest,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { sleep } from "../../server/clock.js";
import type { JournalEntry } from "../../server/world.js";
import { BlobChannel } from "../channels/blob-channel.js";
import { Execs } from "../channels/execs.js";
import { Injections } from "../channels/injections.js";
import { Patience } from "../channels/patience.js";
import { Queries } from "../channels/queries.js";
import { Questions } from "../channels/questions.js";
import type { FrameSink } from "../transport/frame-sink.js";
import { Speech } from "../transport/speech.js";
import { Voice } from "../transport/voice.js";
import { checkAtEdge } from "./edge-check.js";
import { MessageNotes } from "./message-notes.js";
import { type AgentDeps, playTimeline } from "./timeline.js";
import { type BreakKind, BrokenOff } from "./turn.js";

interface RunDeps extends AgentDeps {
  entry: JournalEntry;
  life: AbortController;
  sink: FrameSink;
  isGzip: boolean;
  /** Stops reading the client's messages. */
  stopReading(): void;
  onOver(): void;
}

/** The longest time that Node's timers take. */
const NEVER_MS = 2_147_483_647;

/** The client has left, so no error can be sent. */
class Left extends Error {}

/** One agent stream over either transport. It begins with the first message and ends by itself. */
export class Run {
  readonly #deps: RunDeps;
  readonly #startedAtMs: bigint | undefined;
  readonly #voice: Voice;
  readonly #patience: Patience;
  readonly #notes: MessageNotes;
  readonly #opening: Questions<AgentClientMessage>;
  readonly #execs: Execs;
  readonly #queries: Queries;
  readonly #injections: Injections;
  #blobs: BlobChannel | undefined;
  #conversationId: string | undefined;
  #hasBegun = false;
  #stopBeating = () => {};

  constructor(deps: RunDeps) {
    const { world, clock, life, sink, newId } = deps;
    this.#deps = deps;
    this.#notes = new MessageNotes(deps.entry);
    this.#patience = new Patience(clock, () => world.options.patienceMs);
    this.#startedAtMs = world.options.messageTimes ? BigInt(clock.now()) : undefined;
    this.#voice = new Voice({ sink, isDrifting: world.options.drift, startedAtMs: this.#startedAtMs });
    const channel = {
      voice: this.#voice,
      stats: () => world.stats,
      patience: this.#patience,
      signal: life.signal,
      fail: (error: ConnectError) => this.fail(error),
      newId,
      isStrict: world.options.strict,
    };
    this.#opening = new Questions(this.#patience, life.signal);
    this.#execs = new Execs(channel);
    this.#queries = new Queries(channel);
    this.#injections = new Injections({ voice: this.#voice, steering: () => world.options.steering });
    world.stats.runs += 1;
    world.stats.runsOpen += 1;
    void this.#play();
  }

  /** Takes one client message. */
  receive(payload: Uint8Array): void {
    if (this.#deps.life.signal.aborted) return;
    const { world } = this.#deps;
    world.stats.bytesIn += payload.byteLength;
    world.onClientMessage?.(payload);
    this.#patience.hear();
    let message: AgentClientMessage;
    try {
      // A copy, because a stored message must not keep its whole chunk in memory.
      message = fromBinary(AgentClientMessageSchema, new Uint8Array(payload));
    } catch (cause) {
      this.fail(new ConnectError(`parse binary: ${cause instanceof Error ? cause.message : cause}`, Code.Internal));
      return;
    }
    if (message.message.case === "clientHeartbeat") world.stats.heartbeatsIn += 1;
    else if (!isExecHeartbeat(message)) this.#notes.add(message, payload.byteLength);
    if (this.#hasBegun) this.#dispatch(message);
    else {
      this.#hasBegun = true;
      this.#opening.settle(0, message);
    }
  }

  /** Called when the client has closed its half: a run continues without it, but cannot begin. */
  hearNoMore(): void {
    if (!this.#hasBegun) this.fail(new ConnectError("First message must be a run request", Code.InvalidArgument));
  }

  /** Ends the run with an error at any time. */
  fail(error: ConnectError): void {
    this.#deps.life.abort(error);
  }

  /** Called when the client has closed the stream. */
  leave(): void {
    if (this.#deps.sink.isEnded) return;
    this.#deps.world.stats.cancelled += 1;
    this.#deps.life.abort(new Left());
  }

  #dispatch({ message }: AgentClientMessage): void {
    switch (message.case) {
      case "execClientMessage":
        this.#execs.receiveResult(message.value);
        break;
      case "execClientControlMessage":
        this.#execs.receiveControl(message.value);
        break;
      case "kvClientMessage":
        this.#blobs?.receive(message.value);
        break;
      case "interactionResponse":
        this.#queries.receive(message.value);
        break;
      case "conversationAction":
        if (message.value.action.case === "injectContextAction") this.#injections.receive(message.value.action.value);
        if (message.value.action.case !== "cancelAction") break;
        this.#deps.world.stats.cancelled += 1;
        this.fail(new ConnectError("The run was cancelled.", Code.Canceled));
        break;
      case "runRequest":
        this.fail(new ConnectError("A stream takes one run request", Code.InvalidArgument));
        break;
      default: // heartbeats, and what a newer client may say
    }
  }

  async #play(): Promise<void> {
    const { life, sink } = this.#deps;
    try {
      const { message } = await this.#opening.wait(0, "the opening of the stream", "now");
      if (message.case !== "runRequest") {
        throw new ConnectError("First message must be a run request", Code.InvalidArgument);
      }
      await this.#playRequest(message.value);
      sink.end();
    } catch (thrown) {
      const reason: unknown = life.signal.aborted ? life.signal.reason : thrown;
      if (reason instanceof BrokenOff) await this.#breakOff(reason.kind);
      else if (!(reason instanceof Left)) sink.end(ConnectError.from(reason, Code.Internal));
    } finally {
      this.#stopBeating();
      life.abort(new Left());
      this.#settleStats();
    }
  }

  async #playRequest(request: AgentRunRequest): Promise<void> {
    const { world, clock, life, sink, isGzip, memory, newId } = this.#deps;
    const { signal } = life;
    const { options } = world;
    checkAtEdge(request, options);
    const conversationId = request.conversationId ?? newId();
    this.#conversationId = conversationId;
    this.#deps.abandoned.begin(conversationId, this.#execs);
    const pause = (ms: number) => sleep(ms, clock, signal);
    this.#blobs = new BlobChannel({
      voice: this.#voice,
      stats: () => world.stats,
      patience: this.#patience,
      signal,
      conversation: options.sharedBlobs ? "" : conversationId,
      memory: options.forgetBlobs ? undefined : memory,
      isReferring: options.blobReferences,
      onMissing: options.missingBlob,
      isStrict: options.strict,
    });
    const speech = new Speech({
      sink,
      isGzip,
      isDrifting: options.drift,
      startedAtMs: this.#startedAtMs,
      deltaMs: () => world.options.deltaMs,
      sleep: pause,
    });
    await playTimeline(request, {
      ...this.#deps,
      conversationId,
      headers: this.#deps.entry.headers,
      voice: this.#voice,
      execs: this.#execs,
      queries: this.#queries,
      injections: this.#injections,
      blobs: this.#blobs,
      speech,
      sleep: pause,
      flood: async (count) => {
        this.#deps.stopReading();
        for (let left = count; left > 0; left -= 1)
          await this.#execs.askInVain({ case: "requestContextArgs", value: {} });
      },
      startBeating: () => this.#beat(),
    });
    if (options.turnEnd === "goaway") throw new BrokenOff("closed");
    if (options.turnEnd !== "closed") await pause(NEVER_MS);
  }

  async #breakOff(kind: BreakKind): Promise<void> {
    const { sink } = this.#deps;
    switch (kind) {
      case "reset":
        return sink.reset();
      case "closed":
        return sink.closeConnection();
      case "ended":
        return sink.end();
      case "bare":
        return sink.endBare();
    }
  }

  #beat(): void {
    const { clock, world } = this.#deps;
    this.#voice.beat();
    this.#stopBeating = clock.after(world.options.heartbeatMs, () => this.#beat());
  }

  #settleStats(): void {
    const { stats } = this.#deps.world;
    if (this.#conversationId !== undefined) this.#deps.abandoned.end(this.#conversationId, this.#execs);
    stats.runsOpen -= 1;
    stats.execsAbandoned += this.#execs.openCount;
    stats.execsUnclosed += this.#execs.unclosedCount;
    stats.queriesAbandoned += this.#queries.openCount;
    this.#deps.onOver();
  }
}

function isExecHeartbeat({ message }: AgentClientMessage): boolean {
  return message.case === "execClientControlMessage" && message.value.message.case === "heartbeat";
}
