import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { ReplyStream } from "../http/stream-reply.js";

/** One response on a WebSocket: the same events as in an event stream, each as a message of its own. */
export class SocketStream implements ReplyStream {
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

  write(frames: string): boolean {
    for (const message of toMessages(frames)) {
      this.bytes += Buffer.byteLength(message);
      this.#webSocket.send(message);
    }
    return !this.#socket.writableNeedDrain;
  }

  end(frames: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.write(frames);
  }

  drained(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#socket.off("drain", done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      if (signal.aborted) return resolve();
      this.#socket.on("drain", done);
      signal.addEventListener("abort", done);
    });
  }
}

/** The data of each event; comments are for event streams alone. */
function toMessages(frames: string): string[] {
  return frames.split("\n\n").flatMap((frame) => {
    const at = frame.indexOf("data: ");
    return at < 0 ? [] : [frame.slice(at + "data: ".length)];
  });
}
