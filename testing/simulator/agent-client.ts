import { randomUUID } from "node:crypto";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { blobKey } from "../../packages/simulator/server/blob-id.js";
import {
  END,
  EnvelopeReader,
  encodeEnvelope,
  encodeGzipEnvelope,
  GRPC_WEB_TRAILERS,
} from "../../packages/simulator/server/envelope.js";
import {
  AgentClientMessageSchema,
  AgentRunRequestSchema,
  type AgentServerMessage,
  AgentServerMessageSchema,
  ConversationActionSchema,
  type ConversationStateStructure,
  ConversationStateStructureSchema,
  type ExecClientMessageSchema,
  type ExecServerMessage,
  type InteractionResponseSchema,
  type InteractionUpdate,
  type KvServerMessage,
  type RequestContextSchema,
  RequestedModelSchema,
} from "../../packages/wire/gen/agent_v1_pb.js";
import { ErrorDetailsSchema } from "../../packages/wire/gen/aiserver_v1_pb.js";
import { type Line, openHttp1, openHttp2 } from "./agent-line.js";
import { type Stand, TOKEN } from "./stand.js";

type ClientMessage = NonNullable<MessageInitShape<typeof AgentClientMessageSchema>["message"]>;
type Update = NonNullable<InteractionUpdate["message"]["case"]>;
export type RunInit = MessageInitShape<typeof AgentRunRequestSchema>;
export type ExecResultInit = NonNullable<MessageInitShape<typeof ExecClientMessageSchema>["message"]>;

/** How a stream ended: with an end frame, or without. */
export interface Ending {
  frame?: { error?: { code: string; message?: string; details?: { type: string; debug: unknown; value: string }[] } };
  status: number;
  body: string;
}

export interface ClientHabits {
  transport?: "h2" | "h1";
  headers?: Record<string, string>;
  /** Whether it closes the stream of each exec request behind its result; true unless set. */
  closesExecs?: boolean;
  /** Compresses what it sends. */
  isGzip?: boolean;
  context?: MessageInitShape<typeof RequestContextSchema>;
  /** The blobs that the client has stored; shared by the runs of a conversation. */
  blobs?: Map<string, Uint8Array>;
  /** The questions that it leaves open, so that a test can answer them or not. */
  silent?: readonly ("context" | "kv" | "exec" | "query")[];
}

/** A client that answers the required questions and keeps every message that it gets. */
export class AgentClient {
  readonly messages: AgentServerMessage[] = [];
  readonly blobs: Map<string, Uint8Array>;
  readonly ended: Promise<Ending>;
  readonly requestId = randomUUID();
  bytesRead = 0;
  readonly #habits: ClientHabits;
  readonly #line: Line;
  #watchers: (() => void)[] = [];

  constructor(stand: Stand, habits: ClientHabits = {}) {
    this.#habits = habits;
    this.blobs = habits.blobs ?? new Map();
    const headers = {
      authorization: TOKEN,
      "content-type": "application/connect+proto",
      "connect-protocol-version": "1",
      "x-cursor-client-type": "sdk",
      "x-cursor-client-version": "sdk-1.0.18",
      "x-request-id": this.requestId,
      ...habits.headers,
    };
    const reader = new EnvelopeReader();
    let frame: Ending["frame"];
    let body = Buffer.alloc(0);
    const onData = (chunk: Buffer, status: number) => {
      this.bytesRead += chunk.byteLength;
      if (status !== 200) body = Buffer.concat([body, chunk]);
      else {
        for (const { flags, payload } of reader.push(chunk)) {
          if ((flags & GRPC_WEB_TRAILERS) !== 0) frame = fromTrailers(payload.toString());
          else if ((flags & END) !== 0) frame = JSON.parse(payload.toString()) as NonNullable<Ending["frame"]>;
          else this.#take(fromBinary(AgentServerMessageSchema, payload));
        }
      }
    };
    const { promise, resolve } = deferred<Ending>();
    this.ended = promise;
    const onEnd = (status: number) => resolve({ ...(frame && { frame }), status, body: body.toString() });
    const open = habits.transport === "h1" ? openHttp1 : openHttp2;
    const encode = habits.isGzip === true ? encodeGzipEnvelope : encodeEnvelope;
    this.#line = open(stand, headers, this.requestId, encode, { onData, onEnd });
  }

  send(message: ClientMessage): void {
    this.sendBytes(toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message })));
  }

  sendBytes(payload: Uint8Array): void {
    this.#line.send(payload);
  }

  /** Stops reading until it resumes. */
  pause(): void {
    this.#line.pause();
  }

  resume(): void {
    this.#line.resume();
  }

  /** Closes the connection without an end frame. */
  reset(): void {
    this.#line.reset();
  }

  /** The first matching message, received or still to come. */
  async until<Found>(pick: (message: AgentServerMessage) => Found | undefined, from = 0): Promise<Found> {
    for (let at = from; ; at += 1) {
      while (at >= this.messages.length) {
        const isOver = await Promise.race([
          this.ended.then(() => true),
          new Promise<boolean>((resolve) => this.#watchers.push(() => resolve(false))),
        ]);
        if (isOver && at >= this.messages.length) throw new Error("The stream ended before.");
      }
      const message = this.messages[at];
      const found = message && pick(message);
      if (found !== undefined) return found;
    }
  }

  untilUpdate(name: Update): Promise<unknown> {
    return this.until((message) => updateOf(message, name));
  }

  untilExec(name: ExecServerMessage["message"]["case"], nth = 0): Promise<ExecServerMessage> {
    let seen = 0;
    return this.until(({ message }) => {
      if (message.case !== "execServerMessage" || message.value.message.case !== name) return undefined;
      return seen++ === nth ? message.value : undefined;
    });
  }

  answerExec(id: number, message: ExecResultInit): void {
    this.send({ case: "execClientMessage", value: { id, message } });
    if (this.#habits.closesExecs !== false) this.closeExec(id);
  }

  closeExec(id: number): void {
    this.send({ case: "execClientControlMessage", value: { message: { case: "streamClose", value: { id } } } });
  }

  throwExec(id: number, error: string): void {
    this.send({ case: "execClientControlMessage", value: { message: { case: "throw", value: { id, error } } } });
    this.closeExec(id);
  }

  answerQuery(id: number, result: NonNullable<MessageInitShape<typeof InteractionResponseSchema>["result"]>): void {
    this.send({ case: "interactionResponse", value: { id, result } });
  }

  get text(): string {
    return this.#deltas("textDelta");
  }

  get thinking(): string {
    return this.#deltas("thinkingDelta");
  }

  get checkpoints(): ConversationStateStructure[] {
    return this.messages.flatMap(({ message }) =>
      message.case === "conversationCheckpointUpdate" ? [message.value] : [],
    );
  }

  get lastState(): ConversationStateStructure {
    const state = this.checkpoints.at(-1);
    if (state === undefined) throw new Error("No checkpoint came.");
    return state;
  }

  /** The names of all updates and messages in order, without heartbeats. */
  get outline(): string[] {
    return this.messages.flatMap(({ message }) => {
      if (message.case !== "interactionUpdate") return [message.case ?? "unknown"];
      const name = message.value.message.case;
      return name === "heartbeat" ? [] : [name ?? "unknownUpdate"];
    });
  }

  #deltas(name: "textDelta" | "thinkingDelta"): string {
    return this.messages.map((message) => updateOf(message, name)?.text ?? "").join("");
  }

  #take(message: AgentServerMessage): void {
    this.messages.push(message);
    this.#answer(message);
    this.#wake();
  }

  #wake(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const watcher of watchers) watcher();
  }

  #answer({ message }: AgentServerMessage): void {
    const silent = this.#habits.silent ?? [];
    if (message.case === "kvServerMessage" && !silent.includes("kv")) this.#answerKv(message.value);
    if (message.case !== "execServerMessage") return;
    const { id, message: asked } = message.value;
    if (asked.case === "requestContextArgs") {
      if (silent.includes("context")) return;
      const requestContext = this.#habits.context ?? {};
      this.answerExec(id, {
        case: "requestContextResult",
        value: { result: { case: "success", value: { requestContext } } },
      });
    } else if (!silent.includes("exec")) {
      if (asked.case === "mcpArgs") this.answerExec(id, mcpText(`done ${asked.value.toolName}`));
      else this.throwExec(id, "not here");
    }
  }

  #answerKv({ id, message }: KvServerMessage): void {
    if (message.case === "setBlobArgs") {
      this.blobs.set(blobKey(message.value.blobId), message.value.blobData);
      this.send({ case: "kvClientMessage", value: { id, message: { case: "setBlobResult", value: {} } } });
    } else if (message.case === "getBlobArgs") {
      const blobData = this.blobs.get(blobKey(message.value.blobId));
      const value = blobData === undefined ? {} : { blobData };
      this.send({ case: "kvClientMessage", value: { id, message: { case: "getBlobResult", value } } });
    }
  }
}

export function mcpText(text: string, isError = false): ExecResultInit {
  const content = [{ content: { case: "text" as const, value: { text } } }];
  return { case: "mcpResult", value: { result: { case: "success", value: { content, isError } } } };
}

type UpdateValue<Name> = Extract<InteractionUpdate["message"], { case: Name }> extends { value: infer V } ? V : never;

export function updateOf<Name extends Update>({ message }: AgentServerMessage, name: Name) {
  if (message.case !== "interactionUpdate" || message.value.message.case !== name) return undefined;
  return message.value.message.value as unknown as UpdateValue<Name>;
}

/** A run request with a user message, and the changes of the test. */
export function userRun(text: string, more: RunInit = {}): ClientMessage {
  const request = create(AgentRunRequestSchema, more);
  const action = { case: "userMessageAction" as const, value: { userMessage: { text } } };
  request.conversationState ??= create(ConversationStateStructureSchema);
  request.action ??= create(ConversationActionSchema, { action });
  request.requestedModel ??= create(RequestedModelSchema, { modelId: "default" });
  request.conversationId ??= "agent-1";
  return { case: "runRequest", value: request };
}

/** A run with a user message. */
export function startRun(stand: Stand, text: string, init: RunInit = {}, habits: ClientHabits = {}): AgentClient {
  const client = new AgentClient(stand, habits);
  client.send(userRun(text, init));
  return client;
}

/** The same, up to its end. */
export async function runToEnd(...run: Parameters<typeof startRun>): Promise<AgentClient> {
  const client = startRun(...run);
  await client.ended;
  return client;
}

/** The details of the error that a run has ended with. */
export function detailOf({ frame }: Ending) {
  const [detail] = frame?.error?.details ?? [];
  return fromBinary(ErrorDetailsSchema, Buffer.from(detail?.value ?? "", "base64"));
}

function fromTrailers(text: string): NonNullable<Ending["frame"]> {
  const [, status = "0"] = /^grpc-status: (\d+)/.exec(text) ?? [];
  const [, message = ""] = /^grpc-message: (.*)$/m.exec(text) ?? [];
  return status === "0" ? {} : { error: { code: status, message: decodeURIComponent(message) } };
}

function deferred<Value>(): { promise: Promise<Value>; resolve(value: Value): void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
