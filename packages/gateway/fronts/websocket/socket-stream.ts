import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { drained, type ReplyStream } from "../http/body-stream.js";

/** One reply on a WebSocket: each frame is a message that holds only the frame's data. */
export class SocketStream implements ReplyStream {
  readonly after = "";
  isOpen = false;
  hasEnded = false;
  bytes = 0;
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;

  constructor(webSocket: WebSocket, socket: Socket) {
    this.#webSocket = webSocket;
    this.#socket = socket;
  }

  open(): void {
    this.isOpen = true;
  }

  before(): string {
    return "";
  }

  write(message: string): void {
    this.bytes += Buffer.byteLength(message);
    this.#webSocket.send(message);
  }

  /** Every message belongs to the reply, so comments are dropped. */
  comment(): void {}

  flush(): boolean {
    return !this.#socket.writableNeedDrain;
  }

  end(): void {
    this.hasEnded = true;
  }

  drained(signal: AbortSignal): Promise<void> {
    return drained(this.#socket, signal);
  }
}
