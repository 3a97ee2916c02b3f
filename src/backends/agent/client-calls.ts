import type { SentResult } from "../../turn/blocks.js";
import { GatewayError } from "../../turn/error.js";
import type { TurnEvent } from "../../turn/event.js";
import type { ClientCall, RecordedCall } from "../backend.js";

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

/** The tool calls of one turn that the client has to run: told once, answered once, recognised when asked again. */
export class ClientCalls {
  readonly #newCallId: () => string;
  readonly #fingerprint: ClientCallsDeps["fingerprint"];
  readonly #calls: Call[];
  /** The one whose arguments are being told: inputs of two calls never interleave. */
  #telling: Call | undefined;
  #stream = 0;
  #round: number;
  /** Whether all that this stream has asked so far are the turn's calls from the first on: then it is at them once more. */
  #isReplay = true;
  #toldSincePause = 0;
  #pending: readonly string[] = [];

  constructor({ newCallId, record, fingerprint }: ClientCallsDeps) {
    this.#newCallId = newCallId;
    this.#fingerprint = fingerprint;
    this.#calls = record.map((recorded) => ({ ...unasked, ...recorded }));
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
    return this.#calls.flatMap(({ asked }) => (asked === undefined ? [] : [asked.execId]));
  }

  get isTelling(): boolean {
    return this.#telling !== undefined;
  }

  /** Whether the client knows half of a call of which no checkpoint knows: another stream may never come to the other half. */
  get isTellingInVain(): boolean {
    return this.#telling !== undefined && !this.#isPending(this.#telling);
  }

  /** Calls that the client was told in full since the last pause. */
  get toldSincePause(): number {
    return this.#toldSincePause;
  }

  onPause(): void {
    this.#toldSincePause = 0;
    this.#round++;
  }

  /** Another stream for the same turn: it asks again whatever it wants to know. */
  onNewStream(): void {
    this.#stream++;
    this.#isReplay = true;
    for (const call of this.#calls) call.asked = undefined;
  }

  /** A checkpoint has come that waits for these calls, each told with its id somewhere in it. */
  settle(pending: readonly string[]): void {
    this.#pending = pending;
    for (const call of this.#calls) call.isSettled = call.result !== undefined && !this.#isPending(call);
  }

  /** The arguments of a call as far as the model has written them: the whole text so far, or what is new in it. */
  write(upstreamId: string, name: string, text: string, batch: TurnEvent[]): void {
    const known = this.#calls.find((each) => each.upstreamId === upstreamId);
    // One that was made before may be on its way to be asked again: whether it is shows when it has all been written.
    if (known === undefined ? this.#mayRepeat(name) : known.stage === "told" || known.stream !== this.#stream) return;
    const call = known ?? this.#add(upstreamId, name);
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
    call.upstreamId = asked.upstreamId;
    call.stream = this.#stream;
    call.isMade = true;
    if (call.result !== undefined) {
      asked.reply(asked.execId, call.result);
      return;
    }
    call.asked = asked;
    if (call.stage === "told") return; // the client is at it already
    call.input = asked.input;
    this.#tellComplete(batch);
  }

  /** False when no such call is open. */
  answer(result: SentResult): boolean {
    const call = this.#calls.find(({ id, isMade }) => id === result.callId && isMade);
    if (call === undefined || call.result !== undefined) return false;
    const { asked } = call;
    call.asked = undefined;
    call.result = result;
    asked?.reply(asked.execId, result); // else when the next stream asks
    return true;
  }

  #add(upstreamId: string, name: string): Call {
    const call = {
      ...unasked,
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
    return call;
  }

  /** Whether the newest checkpoint waits for it. */
  #isPending({ upstreamId }: Call): boolean {
    const id = JSON.stringify(upstreamId).slice(1, -1);
    return this.#pending.some((text) => text.includes(id));
  }

  /** The first round that this stream has not asked in full. */
  get #nextRound(): number | undefined {
    return this.#calls.find(({ stream }) => stream !== this.#stream)?.round;
  }

  /** Whether a call of this tool may turn out to be one that was made before. */
  #mayRepeat(name: string): boolean {
    return this.#calls.some((call) => call.name === name && this.#isExpected(call));
  }

  /**
   * Whether the server may ask this call again under another id: when it does not have the result, or when it goes through
   * the turn once more from its first call. Elsewhere an equal call is a new one: tests are run again after an edit.
   */
  #isExpected({ stream, isSettled, round }: Call): boolean {
    if (stream === this.#stream) return false;
    return !isSettled || (this.#isReplay && round === this.#nextRound);
  }

  /** By its own id, else by what it asks. */
  #find({ upstreamId, name, input }: AskedCall): Call | undefined {
    const byId = this.#calls.find((call) => call.upstreamId === upstreamId);
    if (byId !== undefined) return byId;
    const wanted = this.#fingerprint(name, input);
    return this.#calls.find((call) => this.#isExpected(call) && this.#fingerprint(call.name, call.input) === wanted);
  }

  /** Ends the call being told if it is whole, then tells every other call that is, then begins with the next. */
  #tellComplete(batch: TurnEvent[]): void {
    if (this.#telling?.asked === undefined && this.#telling !== undefined) return;
    const ready = this.#calls.filter(({ asked, stage }) => asked !== undefined && stage !== "told");
    for (const call of this.#telling === undefined ? ready : [this.#telling, ...ready]) {
      if (call.stage === "told") continue;
      call.untold = remainder(call);
      this.#tellInput(call, batch);
      batch.push({ type: "call-end", id: call.id });
      call.stage = "told";
      this.#toldSincePause++;
    }
    this.#telling = this.#calls.find(({ stage, untold }) => stage === "untold" && untold !== "");
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
