import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type ExecClientControlMessage,
  type ExecClientMessage,
  ExecServerMessageSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { resultCaseOf } from "../../model/exec-kinds.js";
import type { Stats } from "../../server/stats.js";
import type { Voice } from "../transport/voice.js";
import { unknownField, wrapField } from "../transport/voice.js";
import type { Patience } from "./patience.js";
import { Questions } from "./questions.js";

type ExecArgs = Extract<MessageInitShape<typeof ExecServerMessageSchema>["message"], { case: string }>;
export type ExecResult = ExecClientMessage["message"];
export type ExecAnswer =
  /** One result, or all pieces of a streamed one. */
  { type: "results"; results: ExecResult[] } | { type: "thrown"; error: string };

interface OpenExec {
  /** Undefined when no client knows this kind of request: any answer is accepted. */
  expected: string | undefined;
  results: ExecResult[];
}

interface ExecsDeps {
  voice: Voice;
  stats(): Stats;
  patience: Patience;
  signal: AbortSignal;
  fail(error: ConnectError): void;
  newId(): string;
  /** Whether a result counts only once its stream is closed, and only in the form that belongs to the request. */
  isStrict: boolean;
}

/** A streamed command may write for hours; the model reads only its beginning. */
const MAX_PIECES = 1_000;
/** `AgentServerMessage.exec_server_message` (docs/protocol/wire.md, messages). */
const EXEC_SERVER_MESSAGE = 2;

/**
 * The exec channel of one run. A request ends with its first result, or when the client throws. A streamed shell, and any request in
 * the strict reading, ends when the client closes its stream (docs/protocol/wire.md, execs).
 */
export class Execs {
  readonly #deps: ExecsDeps;
  readonly #questions: Questions<ExecAnswer>;
  readonly #open = new Map<number, OpenExec>();
  /** Requests that have their result, but whose streams are still open. */
  readonly #unclosed = new Set<number>();
  #lastId = 0;

  constructor(deps: ExecsDeps) {
    this.#deps = deps;
    this.#questions = new Questions(deps.patience, deps.signal);
  }

  /** Requests without an answer. A request with a result counts as answered even before its stream is closed. */
  get openCount(): number {
    return [...this.#open.values()].filter(({ results }) => results.length === 0).length;
  }

  /** Whether a call is unanswered. The client's context is not one. */
  get hasOpenCall(): boolean {
    const isOpenCall = ({ expected, results }: OpenExec) => expected !== "requestContextResult" && results.length === 0;
    return [...this.#open.values()].some(isOpenCall);
  }

  get unclosedCount(): number {
    return this.#unclosed.size + this.#open.size - this.openCount;
  }

  async ask(args: ExecArgs, countsFrom: "now" | "last-heard" = "last-heard"): Promise<ExecAnswer> {
    const message = create(ExecServerMessageSchema, { id: this.#nextId(), execId: this.#deps.newId(), message: args });
    const answer = this.#expect(message.id, args.case, resultCaseOf(args.case), countsFrom);
    await this.#deps.voice.send({ case: "execServerMessage", value: message });
    return answer;
  }

  /** Sends a request without waiting for its answer or counting it. */
  async askInVain(args: ExecArgs): Promise<void> {
    const message = create(ExecServerMessageSchema, { id: this.#nextId(), message: args });
    await this.#deps.voice.send({ case: "execServerMessage", value: message });
  }

  /** Sends a request in a field that the client's schema may not have. */
  async askUnknown(field: number): Promise<ExecAnswer> {
    const id = this.#nextId();
    const head = toBinary(ExecServerMessageSchema, create(ExecServerMessageSchema, { id, execId: this.#deps.newId() }));
    const answer = this.#expect(id, `field ${field}`, undefined, "last-heard");
    await this.#deps.voice.sendBytes(wrapField(EXEC_SERVER_MESSAGE, Buffer.concat([head, unknownField(field)])));
    return answer;
  }

  receiveResult({ id, message }: ExecClientMessage): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    if (this.#deps.isStrict && open.expected !== undefined && message.case !== open.expected) {
      const given = message.case ?? "nothing that is known";
      this.#deps.fail(new ConnectError(`Exec ${id} needs ${open.expected}, but got ${given}.`, Code.InvalidArgument));
      return;
    }
    if (open.results.length === 0) this.#deps.stats().execsAnswered += 1;
    if (open.results.length < MAX_PIECES) open.results.push(message);
    if (this.#deps.isStrict || message.case === "shellStream") return;
    this.#unclosed.add(id);
    this.#settle(id, { type: "results", results: open.results });
  }

  receiveControl({ message }: ExecClientControlMessage): void {
    switch (message.case) {
      case "streamClose": {
        this.#unclosed.delete(message.value.id);
        const open = this.#open.get(message.value.id);
        if (open === undefined) return;
        if (open.results.length > 0) this.#settle(message.value.id, { type: "results", results: open.results });
        else this.#throw(message.value.id, "closed without a result");
        return;
      }
      case "throw":
        this.#throw(message.value.id, message.value.error);
        return;
      default: // heartbeats: any message is a sign of life already
    }
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #expect(id: number, what: string, expected: string | undefined, countsFrom: "now" | "last-heard") {
    this.#deps.stats().execsAsked += 1;
    this.#open.set(id, { expected, results: [] });
    return this.#questions.wait(id, `exec ${id} (${what})`, countsFrom);
  }

  #throw(id: number, error: string): void {
    if (this.#open.has(id)) this.#deps.stats().execsThrown += 1;
    this.#settle(id, { type: "thrown", error });
  }

  #settle(id: number, answer: ExecAnswer): void {
    this.#open.delete(id);
    this.#questions.settle(id, answer);
  }
}
