import type { SentResult } from "../../turn/blocks.js";
import { GatewayError } from "../../turn/error.js";
import type { TurnEvent } from "../../turn/event.js";
import { MAX_CALLS_TOGETHER } from "../../turn/request-limits.js";
import type { ClientCall, RecordedCall } from "../backend.js";
import { PendingCalls } from "./pending-calls.js";
import { UnmetCalls } from "./unmet-calls.js";

/** A call as the server asks it. */
export interface AskedCall {
  readonly execId: number;
  readonly upstreamId: string;
  readonly name: string;
  readonly input: string;
  /** Says the result upstream, in the form that this kind of call wants. */
  readonly reply: (execId: number, result: SentResult) => void;
}

interface Call extends ClientCall {
  /** Its place among the calls of the turn. */
  readonly at: number;
  upstreamId: string;
  input: string;
  /** How far the client knows of it. */
  stage: "untold" | "telling" | "told";
  /** Arguments told so far, and arguments that came while another call was being told. */
  told: string;
  untold: string;
  /** What waits for the result on the present stream. */
  asked: AskedCall | undefined;
  /** The last stream on which it was written or asked: a second, equal call on one stream is another call. */
  stream: number;
  /** Whether the server has asked it in this turn, on whichever stream: then the client's result is worth having. */
  isMade: boolean;
  /** Which round of calls it belongs to; calls of one round may be asked in any order. */
  round: number;
  result: SentResult | undefined;
  /** Whether the newest checkpoint holds its result. */
  isSettled: boolean;
}

interface ClientCallsDeps {
  newCallId: () => string;
  record: readonly RecordedCall<SentResult>[];
  /** Two calls that ask the same have the same fingerprint. */
  fingerprint: (name: string, input: string) => string;
}

/**
 * The tool calls of one turn that the client has to run: told once, answered once, recognised when asked again. A turn may have
 * thousands, of rounds long gone or at once, so each is found without a look at the others.
 */
export class ClientCalls {
  readonly #newCallId: () => string;
  readonly #fingerprint: ClientCallsDeps["fingerprint"];
  readonly #calls: Call[];
  readonly #byId: Map<string, Call>;
  readonly #byUpstreamId = new Map<string, Call>();
  /** Asked on the present stream and not answered. */
  readonly #asked = new Set<Call>();
  /** Asked, and to be told as soon as no other is being told. */
  #ready: Call[] = [];
  /** Begun to be written, and perhaps not told yet; in the order in which they were made. */
  #written: Call[] = [];
  /** Those whose results the server does not have, and those of the next round of a replay; sorted out when first needed. */
  #unsettled: UnmetCalls<Call> | undefined;
  #replayed: { readonly round: number; readonly calls: UnmetCalls<Call> } | undefined;
  /** The first call that the present stream has not come to. */
  #nextAt = 0;
  /** Calls that are new since the last pause. */
  #madeSincePause = 0;
  /** The one whose arguments are being told: inputs of two calls never interleave. */
  #telling: Call | undefined;
  #stream = 0;
  #round: number;
  /** Whether all that this stream has asked so far are the turn's calls from the first on: then it is at them once more. */
  #isReplay = true;
  #toldSincePause = 0;
  #pending = new PendingCalls([]);

  constructor({ newCallId, record, fingerprint }: ClientCallsDeps) {
    this.#newCallId = newCallId;
    this.#fingerprint = fingerprint;
    this.#calls = record.map((recorded, at) => ({ ...unasked, ...recorded, at }));
    this.#byId = new Map(this.#calls.map((call) => [call.id, call]));
    for (const call of this.#calls) this.#name(call, call.upstreamId);
    this.#round = (record.at(-1)?.round ?? -1) + 1;
  }

  /**
   * Asked and not answered, in the order in which they were made. A stream that breaks off closes none: the client is at
   * them, and the next stream asks them again.
   */
  get open(): readonly ClientCall[] {
    return this.#calls.filter(({ isMade, result }) => isMade && result === undefined);
  }

  /** Those that a stream which goes on from the newest checkpoint may ask again. */
  get unsettled(): readonly ClientCall[] {
    return this.#calls
      .filter(({ isMade, isSettled }) => isMade && !isSettled)
      .map(({ id, upstreamId, name, input }) => ({ id, upstreamId, name, input }));
  }

  /** What waits for results on the present stream. */
  get openExecIds(): readonly number[] {
    return Array.from(this.#asked, ({ asked }) => asked?.execId ?? 0);
  }

  get isTelling(): boolean {
    return this.#telling !== undefined;
  }

  /** Whether the client knows half of a call of which no checkpoint knows: another stream may never come to the other half. */
  get isTellingInVain(): boolean {
    return this.#telling !== undefined && !this.#pending.has(this.#telling.upstreamId);
  }

  /** Calls that the client was told in full since the last pause. */
  get toldSincePause(): number {
    return this.#toldSincePause;
  }

  onPause(): void {
    this.#toldSincePause = 0;
    this.#madeSincePause = 0;
    this.#round++;
  }

  /** Another stream for the same turn: it asks again whatever it wants to know. */
  onNewStream(): void {
    this.#stream++;
    this.#isReplay = true;
    for (const call of this.#asked) call.asked = undefined;
    this.#asked.clear();
    this.#ready = [];
    this.#unsettled = undefined;
    this.#replayed = undefined;
    this.#nextAt = 0;
  }

  /** A checkpoint has come that waits for these calls, each told with its id somewhere in it. */
  settle(pending: readonly string[]): void {
    this.#pending = new PendingCalls(pending);
    this.#unsettled = undefined;
    for (const call of this.#calls) {
      call.isSettled = call.result !== undefined && !this.#pending.has(call.upstreamId);
    }
  }

  /** The arguments of a call as far as the model has written them: the whole text so far, or what is new in it. */
  write(upstreamId: string, name: string, text: string, batch: TurnEvent[]): void {
    const known = this.#byUpstreamId.get(upstreamId);
    // One that was made before may be on its way to be asked again: whether it is shows when it has all been written.
    if (known === undefined ? this.#mayRepeat(name) : known.stage === "told" || known.stream !== this.#stream) return;
    const call = known ?? this.#add(upstreamId, name);
    if (known === undefined) this.#written.push(call);
    const seen = call.told + call.untold;
    call.untold += text.startsWith(seen) ? text.slice(seen.length) : text;
    this.#telling ??= call;
    if (this.#telling === call) this.#tellInput(call, batch);
  }

  /** The server waits for this call now. */
  ask(asked: AskedCall, batch: TurnEvent[]): void {
    const found = this.#find(asked);
    if (found?.round !== this.#nextRound) this.#isReplay = false;
    const call = found ?? this.#add(asked.upstreamId, asked.name);
    this.#name(call, asked.upstreamId);
    call.stream = this.#stream;
    call.isMade = true;
    if (call.result !== undefined) {
      asked.reply(asked.execId, call.result);
      return;
    }
    call.asked = asked;
    this.#asked.add(call);
    if (call.stage === "told") return; // the client is at it already
    call.input = asked.input;
    this.#ready.push(call);
    this.#tellComplete(batch);
  }

  /** False when no such call is open. */
  answer(result: SentResult): boolean {
    const call = this.#byId.get(result.callId);
    if (call?.isMade !== true || call.result !== undefined) return false;
    const { asked } = call;
    call.asked = undefined;
    this.#asked.delete(call);
    call.result = result;
    asked?.reply(asked.execId, result); // else when the next stream asks
    return true;
  }

  #add(upstreamId: string, name: string): Call {
    if (++this.#madeSincePause > MAX_CALLS_TOGETHER) throw tooManyCalls();
    const call = {
      ...unasked,
      at: this.#calls.length,
      id: this.#newCallId(),
      upstreamId,
      name,
      input: "",
      stream: this.#stream,
      isMade: false,
      round: this.#round,
      result: undefined,
      isSettled: false,
    };
    this.#calls.push(call);
    this.#byId.set(call.id, call);
    this.#name(call, upstreamId);
    return call;
  }

  /** Of several calls under one id, the first is the one that is meant by it. */
  #name(call: Call, upstreamId: string): void {
    if (this.#byUpstreamId.get(call.upstreamId) === call) this.#byUpstreamId.delete(call.upstreamId);
    call.upstreamId = upstreamId;
    const other = this.#byUpstreamId.get(upstreamId);
    if (other === undefined || other.at > call.at) this.#byUpstreamId.set(upstreamId, call);
  }

  /** The first round that this stream has not asked in full. */
  get #nextRound(): number | undefined {
    while (this.#calls[this.#nextAt]?.stream === this.#stream) this.#nextAt++;
    return this.#calls[this.#nextAt]?.round;
  }

  /** Whether a call of this tool may turn out to be one that was made before. */
  #mayRepeat(name: string): boolean {
    return this.#expected().some((calls) => calls.hasAny(name));
  }

  /**
   * Calls that the server may ask again under other ids: those whose results it does not have, and when it goes through the
   * turn once more from its first call, those of the next round. Elsewhere an equal call is a new one: tests are run again
   * after an edit.
   */
  #expected(): readonly UnmetCalls<Call>[] {
    const unmet = (calls: readonly Call[]) => new UnmetCalls(calls, this.#stream, this.#fingerprint);
    this.#unsettled ??= unmet(this.#calls.filter(({ isSettled }) => !isSettled));
    const round = this.#isReplay ? this.#nextRound : undefined;
    if (round === undefined) return [this.#unsettled];
    if (this.#replayed?.round !== round) {
      let end = this.#nextAt + 1;
      while (this.#calls[end]?.round === round) end++;
      this.#replayed = { round, calls: unmet(this.#calls.slice(this.#nextAt, end)) };
    }
    return [this.#unsettled, this.#replayed.calls];
  }

  /** By its own id, else by what it asks. */
  #find({ upstreamId, name, input }: AskedCall): Call | undefined {
    const byId = this.#byUpstreamId.get(upstreamId);
    if (byId !== undefined) return byId;
    const found = this.#expected().flatMap((calls) => calls.find(name, input) ?? []);
    return found.sort((a, b) => a.at - b.at)[0];
  }

  /** Ends the call being told if it is whole, then tells every other call that is, then begins with the next. */
  #tellComplete(batch: TurnEvent[]): void {
    if (this.#telling?.asked === undefined && this.#telling !== undefined) return;
    const ready = this.#ready.sort((a, b) => a.at - b.at);
    this.#ready = [];
    for (const call of this.#telling === undefined ? ready : [this.#telling, ...ready]) {
      if (call.stage === "told") continue;
      call.untold = remainder(call);
      this.#tellInput(call, batch);
      batch.push({ type: "call-end", id: call.id });
      call.stage = "told";
      this.#toldSincePause++;
    }
    this.#written = this.#written.filter(({ stage }) => stage === "untold");
    this.#telling = this.#written.find(({ untold }) => untold !== "");
    if (this.#telling !== undefined) this.#tellInput(this.#telling, batch);
  }

  #tellInput(call: Call, batch: TurnEvent[]): void {
    if (call.stage === "untold") {
      call.stage = "telling";
      batch.push({ type: "call", id: call.id, name: call.name, runs: "client" });
    }
    if (call.untold === "") return;
    batch.push({ type: "call-input", id: call.id, delta: call.untold });
    call.told += call.untold;
    call.untold = "";
  }
}

function tooManyCalls(): GatewayError {
  return new GatewayError(
    "upstream_error",
    `The model asked for more than ${MAX_CALLS_TOGETHER} tool calls at once, so Curlew ended the run. Ask for less at a time.`,
  );
}

const unasked = {
  stage: "untold" as const,
  told: "",
  untold: "",
  asked: undefined,
  stream: -1,
  isMade: false,
} satisfies Partial<Call> as Pick<Call, "stage" | "told" | "untold" | "asked" | "stream" | "isMade">;

/** What the client has not been told yet. The server's arguments are the authority; what the model wrote may be spelled otherwise. */
function remainder({ told, untold, input }: Call): string {
  if (input.startsWith(told)) return input.slice(told.length);
  if (isJson(told)) return "";
  if (isJson(told + untold)) return untold;
  throw new GatewayError(
    "upstream_error",
    "Cursor changed the arguments of a tool call while they were being told. Try again.",
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
