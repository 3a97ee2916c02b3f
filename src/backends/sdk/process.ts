import { type ChildProcess, fork } from "node:child_process";
import type { Clock } from "../../clock.js";
import { signalGroup } from "../../process-group.js";
import { GatewayError } from "../../turn/error.js";
import { stopping } from "../closed.js";
import { TextTail } from "../cursor/text-tail.js";
import { shown } from "./errors.js";
import type { SdkLocation } from "./own-login.js";
import type { FromChild, ToChild, TurnMessage } from "./protocol.js";

const MAX_LAST_WORDS = 2_000;

export interface SdkProcessLimits {
  readonly startMs: number;
  /** The interval of pings. */
  readonly pingMs: number;
  /** A process without an answer for this long hangs. */
  readonly hungMs: number;
}

interface SdkProcessSpec extends SdkLocation {
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

interface SdkProcessDeps {
  readonly clock: Clock;
  readonly limits: SdkProcessLimits;
  /** Called when the process takes no more turns. */
  readonly onGone: () => void;
}

/** Receives the messages of the process about one turn. */
export interface TurnListener {
  message(message: TurnMessage): void;
  lost(error: GatewayError): void;
}

/** One child process, for any number of turns at once. */
export class SdkProcess {
  /** Rejects when the SDK cannot be loaded. */
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #limits: SdkProcessLimits;
  readonly #turns = new Map<string, TurnListener>();
  readonly #lastWords = new TextTail(MAX_LAST_WORDS);
  readonly #onGone: () => void;
  #settleReady: (error?: GatewayError) => void = () => {};
  #stopWatching: () => void = () => {};
  #isGone = false;
  #lastHeardMs: number;
  #lastLookMs: number;

  constructor({ node, module, cwd, env }: SdkProcessSpec, { clock, limits, onGone }: SdkProcessDeps) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onGone = onGone;
    this.#lastHeardMs = this.#lastLookMs = clock.now();
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.ready.catch(() => {}); // reported to those who await it
    this.#child = fork(new URL("./sdk-child.js", import.meta.url), [module, cwd], {
      execPath: node,
      execArgv: [],
      cwd,
      env,
      detached: process.platform !== "win32",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => this.#lastWords.push(chunk));
    this.#child.on("message", (message: FromChild) => this.#hear(message));
    this.#child.on("error", (cause) => this.#gone(this.#crashed(cause.message)));
    this.#child.once("exit", (code, signal) => this.#gone(this.#crashed(signal ?? `exit code ${code}`)));
    const stopStarting = clock.after(limits.startMs, () => this.#end(slowStart(limits.startMs)));
    void this.ready.then(stopStarting, stopStarting);
    this.#stopWatching = clock.every(limits.pingMs, () => this.#look());
  }

  open(turn: string, listener: TurnListener): void {
    this.#turns.set(turn, listener);
  }

  close(turn: string): void {
    this.#turns.delete(turn);
  }

  send(message: ToChild): void {
    if (this.#child.connected) this.#child.send(message, () => {}); // the end of a process is reported elsewhere
  }

  stop(): void {
    this.#end(stopping());
  }

  #hear(message: FromChild): void {
    this.#lastHeardMs = this.#clock.now();
    if (message.type === "ready") this.#settleReady();
    else if (message.type === "broken") {
      const why = `Cursor's SDK cannot be loaded: ${shown(message.failure.message)}. Install it again: npm install @cursor/sdk`;
      this.#end(new GatewayError("server_error", why));
    } else if (message.type !== "pong") this.#turns.get(message.turn)?.message(message);
  }

  /** Kills a process that does not answer although it has work. An idle one is left alone. */
  #look(): void {
    const { pingMs, hungMs } = this.#limits;
    const nowMs = this.#clock.now();
    const isLate = nowMs - this.#lastLookMs > 2 * pingMs; // this machine was asleep, and so was the process
    this.#lastLookMs = nowMs;
    if (this.#turns.size === 0 || isLate) this.#lastHeardMs = nowMs;
    else if (nowMs - this.#lastHeardMs >= hungMs) this.#end(hung(hungMs));
    if (this.#turns.size > 0) this.send({ type: "ping" });
  }

  #end(reason: GatewayError): void {
    if (this.#isGone) return;
    if (this.#child.pid !== undefined) signalGroup(this.#child.pid, "SIGKILL");
    this.#gone(reason);
  }

  #gone(error: GatewayError): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#stopWatching();
    this.#onGone();
    this.#settleReady(error);
    for (const listener of [...this.#turns.values()]) listener.lost(error);
    this.#turns.clear();
  }

  #crashed(how: string): GatewayError {
    const lastWords = shown(this.#lastWords.text.slice(-500));
    const text = `The process of Cursor's SDK ended (${how}): ${lastWords}. Try again: Curlew starts a new one.`;
    return new GatewayError("upstream_error", text, { isRetryable: true });
  }
}

function hung(ms: number): GatewayError {
  const text = `The process of Cursor's SDK has not answered for ${Math.round(ms / 1000)} s and was ended. Try again: Curlew starts a new one.`;
  return new GatewayError("timeout", text, { isRetryable: true });
}

function slowStart(ms: number): GatewayError {
  const text = `Cursor's SDK was not ready after ${Math.round(ms / 1000)} s. Try again, or use another backend.`;
  return new GatewayError("timeout", text, { isRetryable: true });
}
