import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Clock } from "../../system/clock.js";
import { GatewayError } from "../../turn/error.js";
import { STALL_BYTES, STALL_MS, stalled } from "../http/body/read-body.js";
import type { MemoryHold, RequestMemory } from "../http/request-memory.js";

/** The bytes after the end of a message come from the same read of the socket, so they are never more than this. */
const ONE_READ_BYTES = 64 * 1024;
/** The size of a client's control frame without its payload. */
const CONTROL_HEAD_BYTES = 6;

interface MeterDeps {
  readonly memory: RequestMemory;
  readonly clock: Pick<Clock, "after">;
  /** Called once, when the incoming message cannot be accepted. */
  readonly onRefused: (error: GatewayError) => void;
}

/** Accounts for the memory of an incomplete message, which the library reports only when it is complete. */
export class MessageMeter {
  readonly #socket: Socket;
  readonly #deps: MeterDeps;
  readonly #coming: MemoryHold;
  #lastReadBytes = 0;
  #receivedBytes = 0;
  #stopClock: (() => void) | undefined;

  constructor(webSocket: WebSocket, socket: Socket, deps: MeterDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#coming = deps.memory.hold();
    // This listener runs before the library's own, which reports messages in the same moment.
    socket.prependListener("data", this.#read);
    const control = (data: Buffer) => this.#release(data.length + CONTROL_HEAD_BYTES);
    webSocket.on("ping", control).on("pong", control);
  }

  /** Called for each complete message: its memory is held separately until it is answered. */
  whole(message: Buffer): MemoryHold {
    const hold = this.#coming.split(message.length);
    this.#release(this.#coming.bytes - Math.min(this.#coming.bytes, this.#lastReadBytes));
    return hold;
  }

  close(): void {
    this.#socket.off("data", this.#read);
    this.#stopClock?.();
    this.#coming.release();
  }

  readonly #read = (chunk: Buffer): void => {
    this.#lastReadBytes = chunk.length;
    this.#receivedBytes += chunk.length;
    try {
      this.#coming.take(chunk.length);
    } catch (thrown) {
      this.#refuse(GatewayError.from(thrown));
      return;
    }
    if (this.#coming.bytes > ONE_READ_BYTES && this.#stopClock === undefined) this.#watchFrom(this.#receivedBytes);
  };

  #watchFrom(receivedBefore: number): void {
    this.#stopClock = this.#deps.clock.after(STALL_MS, () => {
      this.#stopClock = undefined;
      if (this.#coming.bytes <= ONE_READ_BYTES) return;
      if (this.#receivedBytes - receivedBefore < STALL_BYTES) this.#refuse(stalled());
      else this.#watchFrom(this.#receivedBytes);
    });
  }

  #refuse(error: GatewayError): void {
    this.close();
    this.#deps.onRefused(error);
  }

  #release(bytes: number): void {
    this.#coming.release(Math.min(bytes, this.#coming.bytes));
  }
}
