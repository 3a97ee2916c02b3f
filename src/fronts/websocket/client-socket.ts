import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { z } from "zod";
import type { Account } from "../../gateway/index.js";
import { GatewayError } from "../../turn/error.js";
import type { Front, ParsedRequest } from "../front.js";
import { noteError } from "../http/answer.js";
import { parseJson } from "../http/body/parse-json.js";
import { heldShelf } from "../http/held-shelf.js";
import type { RouteDeps } from "../http/journey.js";
import type { Beating } from "../http/keep-alive.js";
import { type RequestLog, writeLine } from "../http/request-log.js";
import type { MemoryHold } from "../http/request-memory.js";
import { newRecord, type RequestRecord } from "../http/request-record.js";
import { sendReply } from "../http/stream-reply.js";
import { toDialectError } from "../openai-responses/error.js";
import { parseRequest, type ResponsesOptions } from "../openai-responses/parse.js";
import type { ConnectionShelf } from "./connection-shelf.js";
import { MessageMeter } from "./message-meter.js";
import { SocketStream } from "./socket-stream.js";

export interface ResponseSocketDeps extends RouteDeps {
  readonly front: Front<ResponsesOptions>;
  readonly log: RequestLog;
  readonly account: Account | undefined;
  /** What is kept as long as the connection lasts. */
  readonly kept: ConnectionShelf;
  /** Aborted when the server takes no new requests. */
  readonly closing: AbortSignal | undefined;
}

/** A message in the line, with what it takes until it is answered. */
interface Waiting {
  message: Buffer;
  readonly hold: MemoryHold;
}

const CreateEvent = z.looseObject({ type: z.literal("response.create"), previous_response_id: z.unknown().optional() });

/** Each has to be kept until its turn comes, however small it is. */
const MAX_WAITING = 100;

/** What a WebSocket's closing code says. */
const closeCodes = { goingAway: 1001, tooMuch: 1009, tryLater: 1013 };
/** How long a client that was refused may go on sending what nobody reads: closed at once, it would not hear why. */
const LINGER_MS = 2_000;

/** A client on a WebSocket: it asks for responses, and gets them one after another in the order in which it asked. */
export class ResponseSocket implements Beating {
  lastMs: number;
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #deps: ResponseSocketDeps;
  readonly #waiting: Waiting[] = [];
  readonly #meter: MessageMeter;
  #isBusy = false;
  /** Tells the response under way that the client has left. */
  #leave = () => {};

  constructor(webSocket: WebSocket, socket: Socket, deps: ResponseSocketDeps) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#deps = deps;
    this.lastMs = deps.clock.now();
    const { memory, clock } = deps;
    this.#meter = new MessageMeter(webSocket, socket, { memory, clock, onRefused: (error) => this.#refuse(error) });
  }

  /** Resolves when the connection has closed. What is under way then is told to stop. */
  async serve(): Promise<void> {
    const { keepAlive, closing } = this.#deps;
    const stopBeating = keepAlive.add(this);
    const closeIfIdle = () => this.#closeIfIdle();
    closing?.addEventListener("abort", closeIfIdle);
    this.#webSocket.on("error", () => {}); // it is told by the closing that follows
    this.#webSocket.on("message", (data: Buffer) => this.#take(data));
    await new Promise<void>((resolve) => this.#webSocket.once("close", () => resolve()));
    this.#meter.close();
    for (const { hold } of this.#waiting.splice(0)) hold.release();
    this.#deps.kept.close();
    this.#leave();
    stopBeating();
    closing?.removeEventListener("abort", closeIfIdle);
  }

  beat(): void {
    this.lastMs = this.#deps.clock.now();
    this.#webSocket.ping();
  }

  #take(message: Buffer): void {
    const bytes = this.#waiting.reduce((sum, { message: { length } }) => sum + length, message.length);
    if (bytes > this.#deps.bodyLimitBytes || this.#waiting.length >= MAX_WAITING) {
      this.#webSocket.close(closeCodes.tooMuch, "Too much is waiting to be answered.");
      return;
    }
    this.#waiting.push({ message, hold: this.#meter.whole(message) });
    if (!this.#isBusy) void this.#answerAll();
  }

  /** What comes now is thrown away: the client is told why, and the connection is closed. */
  #refuse(error: GatewayError): void {
    this.#socket.removeAllListeners("data").resume();
    this.#webSocket.send(JSON.stringify(toErrorEvent(toDialectError(error))));
    this.#webSocket.close(closeCodes.tryLater, error.code);
    this.#deps.clock.after(LINGER_MS, () => this.#socket.destroy());
  }

  async #answerAll(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#answer(next);
      next.hold.release();
    }
    this.#isBusy = false;
    if (this.#deps.closing?.aborted) this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    if (!this.#isBusy) this.#webSocket.close(closeCodes.goingAway, "The gateway is shutting down.");
  }

  async #answer(waiting: Waiting): Promise<void> {
    const { clock, newId, log } = this.#deps;
    const record = newRecord(newId(), clock);
    const leaving = new AbortController();
    const stream = new SocketStream(this.#webSocket, this.#socket);
    this.#leave = () => leaving.abort();
    const underWay: UnderWay = { record, stream, signal: leaving.signal };
    let status = 200;
    try {
      await this.#respond(waiting, underWay);
    } catch (thrown) {
      const error = toDialectError(noteError(thrown, record));
      if (!stream.isOpen) status = error.status;
      if (!leaving.signal.aborted) this.#webSocket.send(JSON.stringify(toErrorEvent(error)));
    }
    if (record.error !== undefined) this.#evict(underWay.continuedId);
    if (leaving.signal.aborted) record.outcome = "client-left";
    leaving.abort(); // nothing goes on running for an answer that is over, however it ended
    this.#leave = () => {};
    this.lastMs = clock.now();
    record.bytes = stream.bytes;
    writeLine(log, { route: "WS /v1/responses", status, record, endedMs: this.lastMs });
  }

  /**
   * A turn that failed leaves nothing to go on from: the client is told `previous_response_not_found` next time, and sends the
   * whole conversation. So want Open Responses and OpenAI's guide. What is stored is not here, and stays.
   */
  #evict(id: unknown): void {
    if (typeof id === "string") this.#deps.kept.delete(id);
  }

  async #respond(waiting: Waiting, underWay: UnderWay): Promise<void> {
    const { front, newId, clock } = this.#deps;
    const { record, stream, signal } = underWay;
    const parsed = this.#parse(waiting, underWay);
    record.stream = true;
    record.model = parsed.turn.model;
    if (parsed.request.isWarmUp) {
      const facts = { id: newId().replaceAll("-", ""), model: parsed.turn.model, createdMs: clock.now() };
      stream.end(front.encoder(parsed.request, facts).end());
      return;
    }
    const release = () => {
      this.#leave = () => {};
    };
    const client = { signal, release, abandon: release };
    await sendReply({ ...this.#deps, parsed, client, record, bodyBytes: waiting.hold.bytes }, stream);
  }

  /** The message itself is not kept while the answer is made. */
  #parse(waiting: Waiting, underWay: UnderWay): ParsedRequest<ResponsesOptions> {
    const { gateway, caller, account, kept } = this.#deps;
    const create = readCreate(waiting.message);
    waiting.message = Buffer.alloc(0);
    underWay.continuedId = create.previous_response_id;
    return parseRequest(create, heldShelf(gateway.shelf({ caller, account }), waiting.hold), kept);
  }
}

/** A response that is being made. */
interface UnderWay {
  record: RequestRecord;
  stream: SocketStream;
  signal: AbortSignal;
  /** The response that it goes on from, as the client named it. */
  continuedId?: unknown;
}

function readCreate(message: Buffer): z.infer<typeof CreateEvent> {
  const event = CreateEvent.safeParse(parseJson(message));
  if (event.success) return event.data;
  throw new GatewayError("invalid_request", 'type: must be "response.create"; nothing else is understood here.', {
    param: "type",
  });
}

/** As clients know it from the wire, and beside it the same as the API's description has it. */
function toErrorEvent(error: ReturnType<typeof toDialectError>): object {
  const { status, ...told } = error;
  const { code, message, param } = told;
  return { type: "error", status, error: told, code, message, param, sequence_number: 0 };
}
