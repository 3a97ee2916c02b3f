import type { SentResult } from "../../../turn/blocks.js";
import { GatewayError } from "../../../turn/error.js";
import { MAX_CALLS_TOGETHER } from "../../../turn/request-limits.js";
import type { Carriage, ClientCall, StartContext } from "../../backend.js";
import type { ReplyWriter } from "../../exchange/index.js";
import { type AskedCall, carriageOf } from "./asked-call.js";
import { type Call, CallRecord, type Fingerprint } from "./call-record.js";
import { CallSender } from "./call-sender.js";

/** Separates words inside quotes, and at the escapes that JSON uses for line breaks. */
const SEPARATORS = /[\s"\\,{}[\]]+/;

/** The calls that a checkpoint waits for, from texts with the call's id in each as a separate word. They are split once. */
export class PendingCalls {
  readonly #texts: readonly string[];
  #words: ReadonlySet<string> | undefined;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  has(upstreamId: string): boolean {
    if (this.#texts.length === 0) return false;
    this.#words ??= new Set(["", ...this.#texts.flatMap((text) => text.split(SEPARATORS))]);
    // An id with a line break in it is more than one word.
    for (const word of JSON.stringify(upstreamId).split(SEPARATORS)) if (!this.#words.has(word)) return false;
    return true;
  }
}

const TOO_MANY_CALLS = `The model asked for more than ${MAX_CALLS_TOGETHER} tool calls at once, so Curlew ended the run. Ask for less at a time.`;

type ClientCallsDeps = Pick<StartContext, "newCallId" | "record"> & { readonly fingerprint: Fingerprint };

/** The tool calls of one turn that the client runs. Each is sent once and answered once, however often it is asked for. */
export class ClientCalls {
  /** Unanswered calls that the current stream has asked for. */
  readonly asked = new Set<Call>();
  readonly #newCallId: () => string;
  readonly #record: CallRecord;
  readonly #sender = new CallSender();
  #madeSincePause = 0;
  /** Calls of the current parallel group that were announced, that were asked for, and that the staged checkpoint names. */
  #announced = 0;
  #askedInGroup = 0;
  #staged: number | undefined;
  /** How many calls the group has, where the server says so before it asks for them. */
  #listed = 0;
  /** Calls of the group that the client is not asked for. One call can have several questions. */
  readonly #refused = new Set<string>();
  #round: number;
  #pending = new PendingCalls([]);

  constructor({ newCallId, record, fingerprint }: ClientCallsDeps) {
    this.#newCallId = newCallId;
    this.#record = new CallRecord(record, fingerprint);
    this.#round = (record.at(-1)?.round ?? -1) + 1;
  }

  /** Calls that wait for an answer. A broken stream closes none of them: the next stream asks for them again. */
  get open(): readonly ClientCall[] {
    return this.#record.calls.filter(({ isMade, result }) => isMade && result === undefined);
  }

  /** Calls that a stream which resumes from the newest checkpoint may ask for again. */
  get unsettled(): readonly ClientCall[] {
    return this.#record.calls
      .filter(({ isMade, isSettled }) => isMade && !isSettled)
      .map(({ id, upstreamId, name, input }) => ({ id, upstreamId, name, input }));
  }

  /** Whether the client has half of a call that no checkpoint knows: another stream may never produce the other half. */
  get hasUnresumableCall(): boolean {
    const { sending } = this.#sender;
    return sending !== undefined && !this.#pending.has(sending.upstreamId);
  }

  /** Whether the server's own signals say that all calls of the group have come. Without such signals, a quiet period decides. */
  get isGroupComplete(): boolean {
    if (this.#listed > 0) return this.#listedCome >= this.#listed;
    return this.#staged !== undefined && this.#come >= Math.max(this.#announced, this.#staged);
  }

  get isListedCallMissing(): boolean {
    return this.#listedCome < this.#listed;
  }

  /** Whether the list or the staged checkpoint has calls that have not come. Some of them may be for others than the client. */
  get isCallNamed(): boolean {
    if (this.#listed > 0) return this.isListedCallMissing;
    return this.#staged !== undefined && this.#come < this.#staged;
  }

  /** How many calls of the group have come. Those for others than the client count if the server waits for them, too. */
  get #come(): number {
    let come = this.#askedInGroup;
    for (const upstreamId of this.#refused) if (this.#pending.has(upstreamId)) come++;
    return come;
  }

  /** The list has all calls, whoever runs them. */
  get #listedCome(): number {
    return this.#askedInGroup + this.#refused.size;
  }

  closeGroup(): void {
    this.#announced = this.#askedInGroup = this.#listed = 0;
    this.#staged = undefined;
    this.#refused.clear();
  }

  onPause(): void {
    this.closeGroup();
    this.#madeSincePause = 0;
    this.#round++;
  }

  /** Called for another stream of the same turn, which asks again for everything it needs. */
  onNewStream(): void {
    this.closeGroup();
    for (const call of this.asked) call.asked = undefined;
    this.asked.clear();
    this.#sender.onNewStream();
    this.#record.onNewStream();
  }

  /** Called for a checkpoint that waits for these calls. Each entry contains the id of its call. */
  settle(pending: readonly string[]): void {
    if (pending.length > 0) this.#staged = pending.length;
    this.#pending = new PendingCalls(pending);
    this.#record.settle(({ upstreamId }) => this.#pending.has(upstreamId));
  }

  /** Called when the server says how many calls follow; 0 says nothing. Another batch follows only on the results of the one before. */
  list(count: number): void {
    if (count === 0) return;
    if (this.#listed > 0 && this.asked.size === 0) this.closeGroup();
    this.#listed = count;
  }

  announce(): void {
    this.#announced++;
  }

  /** Takes arguments that the model is writing. @throws GatewayError `upstream_error` for too many calls at once */
  write(upstreamId: string, name: string, text: string, replies: ReplyWriter): void {
    const known = this.#record.byUpstreamId.get(upstreamId);
    // A call that was made before may be asked for again; that is known only when it has been written in full.
    if (known === undefined && this.#record.mayRepeat(name)) return;
    if (known !== undefined && (known.stage === "sent" || !this.#record.isOfThisStream(known))) return;
    this.#sender.write(known ?? this.#add(upstreamId, name), text, replies);
  }

  refuse(upstreamId: string): void {
    this.#refused.add(upstreamId);
  }

  /** Called when a call is over. One of a listed group that was never asked for ran elsewhere, or was declined. */
  complete(upstreamId: string): void {
    if (this.#listed > 0 && !this.#record.byUpstreamId.has(upstreamId)) this.refuse(upstreamId);
  }

  /** Called when the server waits for this call. Returns its result if that is known already. */
  ask(asked: AskedCall, replies: ReplyWriter): SentResult | undefined {
    this.#askedInGroup++;
    this.#refused.delete(asked.upstreamId);
    const call = this.#record.claim(asked) ?? this.#add(asked.upstreamId, asked.name);
    call.isMade = true;
    if (call.result !== undefined) return call.result;
    call.asked = asked;
    this.asked.add(call);
    if (call.stage === "sent") return undefined; // the client is running it already
    call.input = asked.input;
    this.#sender.send(call, replies);
    return undefined;
  }

  /** Returns the request on the current stream that waits for this result, if any. */
  answer(result: SentResult): AskedCall | undefined {
    const call = this.#record.byId.get(result.callId);
    if (call?.isMade !== true || call.result !== undefined) return undefined;
    const { asked } = call;
    call.asked = undefined;
    this.asked.delete(call);
    call.result = result;
    return asked;
  }

  carriage(callId: string): Carriage {
    return carriageOf(this.#record.byId.get(callId)?.asked);
  }

  #add(upstreamId: string, name: string): Call {
    if (++this.#madeSincePause > MAX_CALLS_TOGETHER) throw new GatewayError("upstream_error", TOO_MANY_CALLS);
    return this.#record.add({ id: this.#newCallId(), upstreamId, name, round: this.#round });
  }
}
