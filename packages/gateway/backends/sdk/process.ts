import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../system/clock.js";
import { signalGroup } from "../../system/process-group.js";
import { GatewayError } from "../../turn/error.js";
import { stopping } from "../closed.js";
import { TextTail } from "../cursor/text-tail.js";
import { shown } from "./errors.js";
import { foldersOfSdk } from "./find-sdk.js";
import type { SdkLocation } from "./own-login.js";
import type { FromChild, ToChild, TurnMessage } from "./protocol.js";

const MAX_LAST_WORDS = 2_000;

const childFile = fileURLToPath(new URL("./sdk-child.js", import.meta.url));
/** In a build, read once and kept: an update replaces the file, and a child of another version may speak another protocol. */
const childSource = import.meta.url.endsWith(".ts") ? undefined : readFileSync(childFile);

export interface SdkProcessLimits {
  readonly startMs: number;
  readonly pingMs: number;
  /** A process without an answer for this long hangs. */
  readonly hungMs: number;
  /** A process takes no more turns than this, because the SDK's memory grows with them. */
  readonly maxTurns: number;
}

interface SdkProcessSpec extends SdkLocation {
  /** Its own folder: conversations, an empty working folder, and a home that it can only write to, because conversations share it. */
  readonly folder: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

interface SdkProcessDeps {
  readonly clock: Clock;
  readonly limits: SdkProcessLimits;
  readonly onGone: () => void;
}

export interface TurnListener {
  message(message: TurnMessage): void;
  lost(error: GatewayError): void;
}

export class SdkProcess {
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  readonly #deps: SdkProcessDeps;
  readonly #turns = new Map<string, TurnListener>();
  readonly #lastWords = new TextTail(MAX_LAST_WORDS);
  #turnsTaken = 0;
  #settleReady: (error?: GatewayError) => void = () => {};
  #stopWatching: () => void = () => {};
  #isGone = false;
  #lastHeardMs: number;
  #lastLookMs: number;

  constructor(spec: SdkProcessSpec, deps: SdkProcessDeps) {
    const { clock, limits } = deps;
    const { node, module, folder, env } = spec;
    const cwd = join(folder, "empty");
    this.#deps = deps;
    this.#lastHeardMs = this.#lastLookMs = clock.now();
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.ready.catch(() => {}); // reported to those who await it
    const readable = foldersOfSdk(module);
    const wall = { readable: [...readable, cwd], writable: [join(folder, "home")], hosts: hostsIn(env) };
    const isFile = childSource === undefined;
    const flags = permissions(spec, [...readable, ...(isFile ? [dirname(childFile)] : []), folder]);
    // A dash stands for the standard input.
    this.#child = fork(isFile ? childFile : "-", [module, cwd, JSON.stringify(wall)], {
      execPath: node,
      execArgv: isFile ? flags : [...flags, "--input-type=module"],
      cwd,
      env,
      detached: process.platform !== "win32",
      stdio: ["pipe", "ignore", "pipe", "ipc"],
    });
    this.#child.stdin?.on("error", () => {}).end(childSource); // the end of a process is reported elsewhere
    this.#child.stderr?.on("data", (chunk: Buffer) => this.#lastWords.push(chunk));
    this.#child.on("message", (message: FromChild) => this.#hear(message));
    this.#child.on("error", (cause) => this.#gone(this.#crashed(cause.message)));
    this.#child.once("exit", (code, signal) => this.#gone(this.#crashed(signal ?? `exit code ${code}`)));
    const stopStarting = clock.after(limits.startMs, () => {
      const seconds = Math.round(limits.startMs / 1000);
      this.#end(late(`Cursor's SDK was not ready after ${seconds} s. Try again, or use another backend.`));
    });
    void this.ready.then(stopStarting, stopStarting);
    this.#stopWatching = clock.every(limits.pingMs, () => this.#look());
  }

  open(turn: string, listener: TurnListener): void {
    this.#turns.set(turn, listener);
    if (++this.#turnsTaken === this.#deps.limits.maxTurns) this.#deps.onGone();
    if (this.#isGone) listener.lost(this.#crashed("before this turn"));
  }

  close(turn: string): void {
    this.#turns.delete(turn);
    if (this.#turnsTaken >= this.#deps.limits.maxTurns && this.#turns.size === 0) this.stop();
  }

  send(message: ToChild): void {
    if (this.#child.connected) this.#child.send(message, () => {}); // the end of a process is reported elsewhere
  }

  stop(): void {
    this.#end(stopping());
  }

  #hear(message: FromChild): void {
    this.#lastHeardMs = this.#deps.clock.now();
    if (message.type === "ready") this.#settleReady();
    else if (message.type === "broken") {
      const why = `Cursor's SDK cannot be loaded: ${shown(message.failure.message)}. Install it again: npm install @cursor/sdk`;
      this.#end(new GatewayError("server_error", why));
    } else if (message.type !== "pong") this.#turns.get(message.turn)?.message(message);
  }

  /** Kills a process that does not answer although it has work. An idle one is left alone. */
  #look(): void {
    const { pingMs, hungMs } = this.#deps.limits;
    const nowMs = this.#deps.clock.now();
    const isLate = nowMs - this.#lastLookMs > 2 * pingMs; // this machine was asleep, and so was the process
    this.#lastLookMs = nowMs;
    if (this.#turns.size === 0 || isLate) this.#lastHeardMs = nowMs;
    else if (nowMs - this.#lastHeardMs >= hungMs) {
      const hung = `The process of Cursor's SDK has not answered for ${Math.round(hungMs / 1000)} s and was ended.`;
      this.#end(late(`${hung} Try again: Curlew starts a new one.`));
    }
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
    if (this.#turnsTaken < this.#deps.limits.maxTurns) this.#deps.onGone();
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

/** The base URL and the proxies that were set, as `host:port`. */
function hostsIn(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!/^(https?_proxy|all_proxy|cursor_backend_url)$/i.test(name) || !URL.canParse(value)) return [];
    const { hostname, port, protocol } = new URL(value);
    return `${hostname.replace(/^\[|\]$/g, "")}:${port || (protocol === "http:" ? 80 : 443)}`;
  });
}

/** Node's permission model, without processes, workers and native code. Until Node 25 it has no flag for the network, and leaves it open. */
function permissions({ nodeVersion, folder }: SdkProcessSpec, readable: readonly string[]): string[] {
  const flags = ["--permission", "--disable-warning=ExperimentalWarning", `--allow-fs-write=${folder}`];
  if (Number.parseInt(nodeVersion, 10) >= 25) flags.push("--allow-net");
  return [...flags, ...readable.map((path) => `--allow-fs-read=${path}`)];
}

function late(text: string): GatewayError {
  return new GatewayError("timeout", text, { isRetryable: true });
}
