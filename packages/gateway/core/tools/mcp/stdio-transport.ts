import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { type Clock, settlesWithin } from "../../../system/clock.js";
import { endGroupWithUs, signalGroup } from "../../../system/process-group.js";

/** A longer message ends the connection, because it could not be used. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const GRACE_MS = 1_000;
/** How much of a server's other output is logged after a start. */
const MAX_LOGGED_BYTES = 64 * 1024;

interface StdioDeps {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly clock: Clock;
  readonly onStderr: (text: string) => void;
}

/** A server as a child in a process group of its own, because launchers start further processes. */
export class StdioTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  readonly #deps: StdioDeps;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #child: ChildProcessWithoutNullStreams | undefined;
  #gone: Promise<void> = Promise.resolve();

  constructor(deps: StdioDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#deps;
    const child = spawn(command, args, { env, cwd, detached: true, stdio: "pipe" });
    this.#child = child;
    this.#gone = new Promise((resolve) => {
      child.once("close", () => {
        this.#child = undefined;
        resolve();
        this.onclose?.();
      });
    });
    const { pid } = child;
    if (pid !== undefined) {
      const callOff = endGroupWithUs(pid);
      child.once("exit", () => {
        callOff();
        signalGroup(pid, "SIGKILL"); // its children may hold its streams open
      });
    }
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#logStderr(child);
    await once(child, "spawn");
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (stdin === undefined || !stdin.writable) return Promise.reject(new Error("the server has ended"));
    return new Promise((resolve) => {
      stdin.write(serializeMessage(message), () => resolve());
    });
  }

  /** Closes its input and sends SIGTERM, then kills what remains. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.stdin.end();
    const { pid } = child;
    if (pid === undefined) return;
    signalGroup(pid, "SIGTERM");
    if (!(await settlesWithin(GRACE_MS, this.#gone, this.#deps.clock))) signalGroup(pid, "SIGKILL");
    await this.#gone;
  }

  /** Examines each byte once, however long a line grows: a server that floods must not keep the gateway busy. */
  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      this.#held.push(chunk.subarray(start, end));
      this.#onLine(Buffer.concat(this.#held).toString("utf8"));
      this.#held = [];
      this.#heldBytes = 0;
      start = end + 1;
    }
    this.#held.push(chunk.subarray(start));
    this.#heldBytes += chunk.length - start;
    if (this.#heldBytes <= MAX_MESSAGE_BYTES) return;
    this.#held = [];
    this.#child?.stdout.removeAllListeners("data").resume();
    this.onerror?.(new Error(`a message is longer than ${MAX_MESSAGE_BYTES} bytes`));
    void this.close();
  }

  #onLine(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      return; // not a message: some servers print a greeting
    }
    this.onmessage?.(message);
  }

  #logStderr({ stderr }: ChildProcessWithoutNullStreams): void {
    let left = MAX_LOGGED_BYTES;
    stderr.on("data", (chunk: Buffer) => {
      if (left > 0) this.#deps.onStderr(chunk.subarray(0, left).toString("utf8"));
      left -= chunk.length;
    });
  }
}
