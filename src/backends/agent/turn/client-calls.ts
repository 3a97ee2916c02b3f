import type { SentResult } from "../../../turn/blocks.js";
import { GatewayError } from "../../../turn/error.js";
import { MAX_CALLS_TOGETHER } from "../../../turn/request-limits.js";
import type { ClientCall, RecordedCall } from "../../backend.js";
import type { ReplyWriter } from "../../exchange/index.js";
import { type Call, CallRecord, type Fingerprint } from "./call-record.js";
import type { AskedCall } from "./call-result.js";
import { CallTeller } from "./call-teller.js";
import { PendingCalls } from "./pending-calls.js";

interface ClientCallsDeps {
  readonly newCallId: () => string;
  readonly record: readonly RecordedCall<SentResult>[];
  readonly fingerprint: Fingerprint;
}

/** The tool calls of one turn that the client has to run: told once, answered once, recognised when asked again. */
export class ClientCalls {
  readonly #newCallId: () => string;
  readonly #record: CallRecord;
  readonly #teller = new CallTeller();
  /** Asked on the present stream and not answered. */
  readonly #asked = new Set<Call>();
  #madeSincePause = 0;
  /** Of the present parallel group: announced and asked by the server, and named by its staged checkpoint once that has come. */
  #announced = 0;
  #askedInGroup = 0;
  #staged: number | undefined;
  #round: number;
  #pending = new PendingCalls([]);

  constructor({ newCallId, record, fingerprint }: ClientCallsDeps) {
    this.#newCallId = newCallId;
    this.#record = new CallRecord(record, fingerprint);
    this.#round = (record.at(-1)?.round ?? -1) + 1;
  }

  /**
   * Asked and not answered, in the order in which they were made. A stream that breaks off closes none: the client is at
   * them, and the next stream asks them again.
   */
  get open(): readonly ClientCall[] {
    return this.#record.calls.filter(({ isMade, result }) => isMade && result === undefined);
  }

  /** Those that a stream which goes on from the newest checkpoint may ask again. */
  get unsettled(): readonly ClientCall[] {
    return this.#record.calls
      .filter(({ isMade, isSettled }) => isMade && !isSettled)
      .map(({ id, upstreamId, name, input }) => ({ id, upstreamId, name, input }));
  }

  /** What waits for results on the present stream. */
  get openExecIds(): readonly number[] {
    return Array.from(this.#asked, ({ asked }) => asked?.execId ?? 0);
  }

  /** Whether the client knows half of a call of which no checkpoint knows: another stream may never come to the other half. */
  get isTellingInVain(): boolean {
    const { telling } = this.#teller;
    return telling !== undefined && !this.#pending.has(telling.upstreamId);
  }

  /** Whether all calls of the group have come, by the server's own signs. Where it gives no such sign, quiet is one. */
  get isGroupComplete(): boolean {
    return this.#staged !== undefined && this.#askedInGroup >= Math.max(this.#announced, this.#staged);
  }

  /** The next call begins another group. */
  closeGroup(): void {
    this.#announced = this.#askedInGroup = 0;
    this.#staged = undefined;
  }

  onPause(): void {
    this.closeGroup();
    this.#madeSincePause = 0;
    this.#round++;
  }

  /** Another stream for the same turn: it asks again whatever it wants to know. */
  onNewStream(): void {
    this.closeGroup();
    for (const call of this.#asked) call.asked = undefined;
    this.#asked.clear();
    this.#teller.onNewStream();
    this.#record.onNewStream();
  }

  /** A checkpoint has come that waits for these calls, each told with its id somewhere in it. */
  settle(pending: readonly string[]): void {
    if (pending.length > 0) this.#staged = pending.length;
    this.#pending = new PendingCalls(pending);
    this.#record.settle(({ upstreamId }) => this.#pending.has(upstreamId));
  }

  announce(): void {
    this.#announced++;
  }

  write(upstreamId: string, name: string, text: string, replies: ReplyWriter): void {
    const known = this.#record.byUpstreamId(upstreamId);
    // One that was made before may be on its way to be asked again: whether it is shows when it has all been written.
    if (known === undefined && this.#record.mayRepeat(name)) return;
    if (known !== undefined && (known.stage === "told" || !this.#record.isOfThisStream(known))) return;
    this.#teller.write(known ?? this.#add(upstreamId, name), text, replies);
  }

  /** The server waits for this call now. Gives back its result if that is known already. */
  ask(asked: AskedCall, replies: ReplyWriter): SentResult | undefined {
    this.#askedInGroup++;
    const call = this.#record.claim(asked) ?? this.#add(asked.upstreamId, asked.name);
    call.isMade = true;
    if (call.result !== undefined) return call.result;
    call.asked = asked;
    this.#asked.add(call);
    if (call.stage === "told") return undefined; // the client is at it already
    call.input = asked.input;
    this.#teller.tell(call, replies);
    return undefined;
  }

  /** Gives back what waits for this result on the present stream: nothing when no such call is open, or the next stream will ask. */
  answer(result: SentResult): AskedCall | undefined {
    const call = this.#record.byId(result.callId);
    if (call?.isMade !== true || call.result !== undefined) return undefined;
    const { asked } = call;
    call.asked = undefined;
    this.#asked.delete(call);
    call.result = result;
    return asked;
  }

  #add(upstreamId: string, name: string): Call {
    if (++this.#madeSincePause > MAX_CALLS_TOGETHER) throw tooManyCalls();
    return this.#record.add({ id: this.#newCallId(), upstreamId, name, round: this.#round });
  }
}

function tooManyCalls(): GatewayError {
  return new GatewayError(
    "upstream_error",
    `The model asked for more than ${MAX_CALLS_TOGETHER} tool calls at once, so Curlew ended the run. Ask for less at a time.`,
  );
}
