import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Account } from "../../core/index.js";
import type { GatewayError } from "../../turn/error.js";
import { noteEnded, publish, RequestRecord } from "../../turn/events/channels.js";
import type { ParsedRequest, ReplyStore, SocketFront } from "../front.js";
import { LINGER_MS, noteError } from "../http/answer.js";
import { parseJson } from "../http/body/parse-json.js";
import type { Beating } from "../http/body-stream.js";
import { parseRequest, storeFor } from "../http/parse-request.js";
import { noteClient, writeLine } from "../http/request-log.js";
import type { MemoryHold } from "../http/request-memory.js";
import type { RouteDeps } from "../http/route-deps.js";
import { newReplyHead } from "../http/start-reply.js";
import { finishReply, sendReply } from "../http/stream-reply.js";
import type { ConnectionStore } from "./connection-store.js";
import { MessageMeter } from "./message-meter.js";
import { SocketStream } from "./socket-stream.js";

export interface ClientSocketDeps<Request> {
  readonly deps: RouteDeps;
  readonly front: SocketFront<Request>;
  readonly closing: AbortSignal | undefined;
}

interface Connection {
  /** The request that opened the connection; its headers count for every message. */
  readonly incoming: IncomingMessage;
  readonly account: Account | undefined;
  readonly kept: ConnectionStore;
}

interface Waiting {
  message: Buffer;
  readonly hold: MemoryHold;
}

/** The limit of waiting messages: each takes memory until its turn comes, however small it is. */
const MAX_WAITING = 100;

const closeCodes = { goingAway: 1001, refused: 1008, tooMuch: 1009, tryLater: 1013 };

/** A client on a WebSocket. It sends requests, and gets the replies one after another in the same order. */
export class ClientSocket<Request> implements Beating {
  lastMs: number;
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #connection: Connection;
  readonly #server: ClientSocketDeps<Request>;
  readonly #deps: RouteDeps;
  readonly #waiting: Waiting[] = [];
  readonly #meter: MessageMeter;
  #isBusy = false;
  #answering = Promise.resolve();
  #leave = () => {};

  constructor(webSocket: WebSocket, connection: Connection, server: ClientSocketDeps<Request>) {
    this.#webSocket = webSocket;
    this.#socket = connection.incoming.socket;
    this.#connection = connection;
    this.#server = server;
    this.#deps = server.deps;
    const { memory, clock } = server.deps;
    this.lastMs = clock.now();
    const onRefused = (error: GatewayError) => this.#refuse(error);
    this.#meter = new MessageMeter(webSocket, this.#socket, { memory, clock, onRefused });
  }

  /** Resolves when the connection has closed and the reply under way, aborted by that, is over. */
  async serve(): Promise<void> {
    const { closing } = this.#server;
    const stopBeating = this.#deps.keepAlive.add(this);
    const closeIfIdle = () => this.#closeIfIdle();
    closing?.addEventListener("abort", closeIfIdle);
    this.#webSocket.on("error", () => {}); // the `close` event that follows reports it
    this.#webSocket.on("message", (data: Buffer) => this.#take(data));
    await new Promise<void>((resolve) => this.#webSocket.once("close", () => resolve()));
    this.#meter.close();
    for (const { hold } of this.#waiting.splice(0)) hold.release();
    this.#connection.kept.close();
    this.#leave();
    stopBeating();
    closing?.removeEventListener("abort", closeIfIdle);
    await this.#answering;
  }

  beat(): void {
    this.lastMs = this.#deps.clock.now();
    this.#webSocket.ping();
  }

  #take(message: Buffer): void {
    const bytes = this.#waiting.reduce((sum, { message: { length } }) => sum + length, message.length);
    if (bytes > this.#deps.bodyLimitBytes || this.#waiting.length >= MAX_WAITING) {
      this.#webSocket.close(closeCodes.tooMuch, "Too much input is waiting.");
      return;
    }
    this.#waiting.push({ message, hold: this.#meter.whole(message) });
    if (!this.#isBusy) this.#answering = this.#answerAll();
  }

  /** Discards further input: closing the connection at once would keep the client from reading the error. */
  #refuse(error: GatewayError): void {
    this.#socket.removeAllListeners("data").resume();
    this.#webSocket.send(this.#server.front.errorMessage(error));
    this.#webSocket.close(closeCodes.tryLater, error.code);
    this.#deps.clock.after(LINGER_MS, () => this.#socket.destroy());
  }

  async #answerAll(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      await this.#answer(next);
      next.hold.release();
    }
    this.#isBusy = false;
    if (this.#server.closing?.aborted) this.#closeIfIdle();
  }

  /** The message to answer next. Those that wait are dropped when the connection closes. */
  #next(): Waiting | undefined {
    return this.#webSocket.readyState === this.#webSocket.OPEN ? this.#waiting.shift() : undefined;
  }

  #closeIfIdle(): void {
    if (!this.#isBusy) this.#webSocket.close(closeCodes.goingAway, "The gateway is shutting down.");
  }

  async #answer(waiting: Waiting): Promise<void> {
    const { gatewayId, clock, newId, log } = this.#deps;
    const { front } = this.#server;
    const record = new RequestRecord(gatewayId, newId(), clock.now());
    record.dialect = front.dialect;
    const leaving = new AbortController();
    const stream = new SocketStream(this.#webSocket, this.#socket);
    this.#leave = () => leaving.abort();
    const underWay: UnderWay = { record, stream, signal: leaving.signal, isTurn: false };
    let status = 200;
    try {
      await this.#respond(waiting, underWay);
    } catch (thrown) {
      const error = noteError(thrown, record);
      if (!stream.isOpen) status = front.error(error, record.requestId, clock.now()).status;
      if (!leaving.signal.aborted) this.#webSocket.send(front.errorMessage(error));
      if (error.code === "invalid_gateway_key") this.#webSocket.close(closeCodes.refused, error.code);
    }
    // A failed turn evicts the reply that it continued: the client gets an error next time, and sends the whole conversation.
    // Open Responses and OpenAI's guide both require this. Responses that are stored permanently are not affected.
    if (record.error !== undefined && underWay.continuedId) this.#connection.kept.delete(underWay.continuedId);
    if (leaving.signal.aborted) record.outcome = "client-left";
    leaving.abort(); // stops whatever still runs for this answer, however it ended
    this.#leave = () => {};
    this.lastMs = clock.now();
    record.bytes = stream.bytes;
    record.status = status;
    if (underWay.isTurn) noteEnded(record, this.lastMs);
    writeLine(log, { route: `WS ${front.path}`, status, record, endedMs: this.lastMs });
  }

  async #respond(waiting: Waiting, underWay: UnderWay): Promise<void> {
    const deps = this.#deps;
    const { front } = this.#server;
    const { account, kept: connection } = this.#connection;
    const { record, stream, signal } = underWay;
    const { incoming } = this.#connection;
    noteClient(record, incoming, deps.callerOf(incoming)); // the key may have been revoked since the last message
    underWay.isTurn = true;
    const store = storeFor({ deps, caller: record.caller, account, hold: waiting.hold, connection });
    const parsed = this.#parse(waiting, underWay, store);
    record.stream = true;
    record.askedModel = parsed.turn.model;
    record.bodyBytes = waiting.hold.bytes;
    if (parsed.isWarmUp) {
      underWay.isTurn = false;
      const encoder = front.encoder(parsed.request, newReplyHead(parsed.turn.model, deps), stream);
      await finishReply(encoder, stream, { deps, front, parsed, store });
      return;
    }
    const release = () => {
      this.#leave = () => {};
    };
    const client = { signal, release };
    publish("curlew:request:received", record);
    await sendReply({ deps, front, parsed, client, record, account, store }, stream);
  }

  /** A separate function, so that the message can be freed while the answer is made. */
  #parse(waiting: Waiting, underWay: UnderWay, store: ReplyStore): ParsedRequest<Request> {
    const { front } = this.#server;
    const { body, continuedId } = front.readMessage(parseJson(waiting.message));
    waiting.message = Buffer.alloc(0);
    underWay.continuedId = continuedId;
    const { headers } = this.#connection.incoming;
    const request = { body, headers, param: () => "", query: () => undefined, store };
    return parseRequest(front, request, this.#deps);
  }
}

interface UnderWay {
  record: RequestRecord;
  stream: SocketStream;
  signal: AbortSignal;
  /** Whether it counts as a turn: its caller was accepted, and it is not a warm-up. */
  isTurn: boolean;
  continuedId?: string | undefined;
}
