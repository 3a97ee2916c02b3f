import { setMaxListeners } from "node:events";
import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import { create, toBinary } from "@bufbuild/protobuf";
import { BidiRequestIdSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { headOf, type Network, requestTo, unreachable } from "../../../network/index.js";
import { GatewayError } from "../../../turn/error.js";
import { ENVELOPE_HEADER_BYTES, encodeEnvelope } from "../../cursor/envelope.js";
import type { CallRecord } from "../../recorder.js";
import { type AppendDeps, AppendQueue, sendAppend } from "./append.js";
import { RunChannel, type RunSink } from "./run-channel.js";

/** The server's half of a run (docs/protocol/wire.md, runs over HTTP/1.1). */
export const RUN_SSE = "/agent.v1.AgentService/RunSSE";
/** How long the server may take to end its response after the end frame. */
const LINGER_MS = 5_000;
/** Each open run has a socket of its own. */
const MAX_RUNS = 512;
/** Appends are short, so all runs share these sockets. */
const MAX_APPEND_SOCKETS = 32;
const MAX_IDLE_SOCKETS = 8;

export interface SseRunDeps extends Omit<AppendDeps, "agent" | "headers" | "judge" | "signal"> {
  readonly runHeaders: Readonly<Record<string, string>>;
  readonly appendHeaders: Readonly<Record<string, string>>;
  readonly runAgent: Agent;
  readonly appendAgent: Agent;
  readonly onOver: () => void;
  readonly record?: CallRecord | undefined;
}

/** A run over HTTP/1.1: one long response, and a request for each message of ours (docs/protocol/wire.md, runs over HTTP/1.1). */
export class SseRun extends RunChannel {
  protected incoming: IncomingMessage | undefined;
  readonly #queue: AppendQueue;
  readonly #leaving = new AbortController();
  readonly #request: ClientRequest;
  readonly #onOver: () => void;

  constructor(sink: RunSink, deps: SseRunDeps) {
    const { origin, requestId, clock, runAgent, appendAgent } = deps;
    super(sink, clock.now, deps.record);
    setMaxListeners(0, this.#leaving.signal); // one listener for each append in flight
    this.#onOver = deps.onOver;
    const appending: AppendDeps = {
      ...deps,
      agent: appendAgent,
      headers: deps.appendHeaders,
      judge: (failure) => sink.judge(failure),
      signal: this.#leaving.signal,
    };
    this.#queue = new AppendQueue({
      send: (seqno, payload) => sendAppend(seqno, payload, appending),
      onFailed: (error) => this.cancel(error),
      onRoom: () => this.flow(),
    });
    const options = { agent: runAgent, method: "POST", headers: deps.runHeaders };
    this.#request = requestTo(new URL(RUN_SSE, origin), options);
    this.#request.once("error", (cause) => {
      this.record?.ended("unreachable");
      this.fail(unreachable(origin, cause));
      this.finish();
    });
    this.#request.once("response", (response) => {
      this.incoming = response;
      this.record?.answered(response.statusCode ?? 0, response.headers);
      this.endWith(response);
      this.read(response, headOf(response));
    });
    this.#request.end(encodeEnvelope(toBinary(BidiRequestIdSchema, create(BidiRequestIdSchema, { requestId }))));
  }

  get isPaused(): boolean {
    return this.incoming?.isPaused() ?? false;
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  write(frame: Buffer): void {
    const message = frame.subarray(ENVELOPE_HEADER_BYTES);
    this.record?.sent(message);
    this.sink.meter.sentBytes += message.length;
    this.#queue.push(message);
    if (this.#queue.isFull) this.incoming?.pause();
  }

  protected reset(): void {
    this.#leaving.abort();
    this.#request.destroy();
  }

  protected letGo(): void {
    this.#onOver();
    this.#queue.close();
    this.incoming?.resume(); // unread bytes would prevent the socket's reuse
    this.#request.setTimeout(LINGER_MS, () => this.#request.destroy());
  }
}

type RunDeps = Omit<SseRunDeps, "runAgent" | "appendAgent" | "onOver">;

/** The sockets of all runs, which go to one origin: the settings name it. */
export class Http1Pool {
  readonly #network: Pick<Network, "agentFor">;
  #agents: { readonly run: Agent; readonly append: Agent } | undefined;
  #openRuns = 0;

  constructor(network: Pick<Network, "agentFor">) {
    this.#network = network;
  }

  /** @throws GatewayError `overloaded` when too many runs are open */
  open(deps: RunDeps, sink: RunSink): RunChannel {
    if (this.#openRuns >= MAX_RUNS) {
      const text = `Curlew has reached its limit of ${MAX_RUNS} open HTTP/1.1 runs. Try again in a moment.`;
      throw new GatewayError("overloaded", text, { isRetryable: true, isOwnRefusal: true });
    }
    this.#agents ??= this.#agentsFor(new URL(deps.origin));
    this.#openRuns += 1;
    let isOpen = true;
    const onOver = () => {
      if (isOpen) this.#openRuns -= 1;
      isOpen = false;
    };
    return new SseRun(sink, { ...deps, runAgent: this.#agents.run, appendAgent: this.#agents.append, onOver });
  }

  close(): void {
    this.#agents?.run.destroy();
    this.#agents?.append.destroy();
    this.#agents = undefined;
  }

  #agentsFor(origin: URL): { run: Agent; append: Agent } {
    const options = { keepAlive: true, noDelay: true, maxFreeSockets: MAX_IDLE_SOCKETS };
    return {
      run: this.#network.agentFor(origin, options),
      append: this.#network.agentFor(origin, { ...options, maxSockets: MAX_APPEND_SOCKETS }),
    };
  }
}
