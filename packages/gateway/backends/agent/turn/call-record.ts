import type { SentResult } from "../../../turn/blocks.js";
import type { ClientCall, RecordedCall } from "../../backend.js";
import type { AskedCall } from "./asked-call.js";

/** A call of the turn, independent of the streams on which it was made. */
export interface Call extends ClientCall {
  readonly at: number;
  upstreamId: string;
  /** The server's own version of the arguments, once it has asked for the call. */
  input: string;
  stage: "unsent" | "sending" | "sent";
  /** `sent` holds the arguments that the client has. `unsent` holds those that came while another call was being sent. */
  sent: string;
  unsent: string;
  asked: AskedCall | undefined;
  /** The last stream on which the call was written or asked: a second, equal call on one stream is another call. */
  stream: number;
  /** Whether the server has asked for the call in this turn, on any stream: only then is the client's result used. */
  isMade: boolean;
  /** The round of calls that it belongs to. Calls of one round may be asked in any order. */
  readonly round: number;
  result: SentResult | undefined;
  isSettled: boolean;
}

export type Fingerprint = (name: string, input: string) => string;

/** All calls of one turn, recognised when the server asks for them again. Each is found without scanning the others. */
export class CallRecord {
  readonly calls: Call[];
  readonly #fingerprint: Fingerprint;
  readonly byId: Map<string, Call>;
  readonly byUpstreamId = new Map<string, Call>();
  /** Calls whose results the server lacks, and those of a replay's next round, computed when first needed. */
  #unsettled: UnmetCalls | undefined;
  #replayed: { readonly round: number; readonly calls: UnmetCalls } | undefined;
  #stream = 0;
  #nextAt = 0;
  /** True while this stream asks for the turn's calls in order from the first one on: then it replays them. */
  #isReplay = true;

  constructor(record: readonly RecordedCall<SentResult>[], fingerprint: Fingerprint) {
    this.#fingerprint = fingerprint;
    this.calls = record.map((recorded, at) => ({ ...unsent, ...recorded, at, stream: -1 }));
    this.byId = new Map(this.calls.map((call) => [call.id, call]));
    for (const call of this.calls) this.#name(call, call.upstreamId);
  }

  isOfThisStream({ stream }: Call): boolean {
    return stream === this.#stream;
  }

  onNewStream(): void {
    this.#stream++;
    this.#isReplay = true;
    this.#unsettled = undefined;
    this.#replayed = undefined;
    this.#nextAt = 0;
  }

  /** The newest checkpoint holds the results of all calls that it does not wait for. */
  settle(isPending: (call: Call) => boolean): void {
    this.#unsettled = undefined;
    for (const call of this.calls) call.isSettled = call.result !== undefined && !isPending(call);
  }

  add({ id, upstreamId, name, round }: Pick<Call, "id" | "upstreamId" | "name" | "round">): Call {
    const at = this.calls.length;
    const fresh = { input: "", result: undefined, isSettled: false };
    const call: Call = { ...unsent, ...fresh, id, upstreamId, name, round, at, stream: this.#stream };
    this.calls.push(call);
    this.byId.set(id, call);
    this.#name(call, upstreamId);
    return call;
  }

  /** Finds the known call that this one repeats, by its id or else by its content, and assigns it to this stream. */
  claim(asked: AskedCall): Call | undefined {
    const equal = () => this.#expected().flatMap((calls) => calls.find(asked.name, asked.input) ?? []);
    const call = this.byUpstreamId.get(asked.upstreamId) ?? equal().sort((a, b) => a.at - b.at)[0];
    if (call?.round !== this.#nextRound()) this.#isReplay = false;
    if (call === undefined) return undefined;
    this.#name(call, asked.upstreamId);
    call.stream = this.#stream;
    return call;
  }

  /** Whether a call of this tool may repeat an earlier one. */
  mayRepeat(name: string): boolean {
    return this.#expected().some((calls) => calls.hasAny(name));
  }

  /** Where several calls share an id, the id means the first of them. */
  #name(call: Call, upstreamId: string): void {
    if (this.byUpstreamId.get(call.upstreamId) === call) this.byUpstreamId.delete(call.upstreamId);
    call.upstreamId = upstreamId;
    const other = this.byUpstreamId.get(upstreamId);
    if (other === undefined || other.at > call.at) this.byUpstreamId.set(upstreamId, call);
  }

  #nextRound(): number | undefined {
    while (this.calls[this.#nextAt]?.stream === this.#stream) this.#nextAt++;
    return this.calls[this.#nextAt]?.round;
  }

  /**
   * Calls that the server may ask for again under other ids: those whose results it does not have and, when it replays the turn
   * from its first call, those of the next round. Any other equal call is a new one, such as tests that run again after an edit.
   */
  #expected(): readonly UnmetCalls[] {
    const unmet = (calls: readonly Call[]) => new UnmetCalls(calls, this.#stream, this.#fingerprint);
    this.#unsettled ??= unmet(this.calls.filter(({ isSettled }) => !isSettled));
    const round = this.#isReplay ? this.#nextRound() : undefined;
    if (round === undefined) return [this.#unsettled];
    if (this.#replayed?.round !== round) {
      let end = this.#nextAt + 1;
      while (this.calls[end]?.round === round) end++;
      this.#replayed = { round, calls: unmet(this.calls.slice(this.#nextAt, end)) };
    }
    return [this.#unsettled, this.#replayed.calls];
  }
}

const unsent = { stage: "unsent", sent: "", unsent: "", asked: undefined, isMade: false } satisfies Partial<Call>;

/** Calls of earlier streams that this one may ask for again under other ids, found by their content, oldest first. */
class UnmetCalls {
  /** The oldest call is last, so that matched calls can be popped. */
  readonly #byTool = new Map<string, Call[]>();
  readonly #byFingerprint = new Map<string, Call[]>();
  readonly #fingerprint: Fingerprint;
  readonly #stream: number;

  constructor(calls: readonly Call[], stream: number, fingerprint: Fingerprint) {
    this.#fingerprint = fingerprint;
    this.#stream = stream;
    for (const call of [...calls].reverse()) {
      if (call.stream === stream) continue;
      add(call, this.#byTool, call.name);
      add(call, this.#byFingerprint, fingerprint(call.name, call.input));
    }
  }

  hasAny(name: string): boolean {
    return this.#oldest(this.#byTool.get(name)) !== undefined;
  }

  find(name: string, input: string): Call | undefined {
    if (!this.hasAny(name)) return undefined;
    return this.#oldest(this.#byFingerprint.get(this.#fingerprint(name, input)));
  }

  #oldest(calls: Call[] = []): Call | undefined {
    while (calls.at(-1)?.stream === this.#stream) calls.pop();
    return calls.at(-1);
  }
}

function add(call: Call, calls: Map<string, Call[]>, key: string): void {
  const known = calls.get(key);
  if (known === undefined) calls.set(key, [call]);
  else known.push(call);
}
