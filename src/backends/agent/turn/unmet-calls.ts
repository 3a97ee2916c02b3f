/** What is looked at of a call. */
interface Made {
  readonly at: number;
  readonly name: string;
  readonly input: string;
  readonly stream: number;
}

/** Calls of which some are taken, and are then not looked at again. */
class Line<Call> {
  readonly #calls: Call[] = [];
  #head = 0;

  add(call: Call): void {
    this.#calls.push(call);
  }

  first(isTaken: (call: Call) => boolean): Call | undefined {
    for (; this.#head < this.#calls.length; this.#head++) {
      const call = this.#calls[this.#head];
      if (call !== undefined && !isTaken(call)) return call;
    }
    return undefined;
  }
}

/** Calls of earlier streams that the present one may ask again under other ids: found by what they ask, the oldest first. */
export class UnmetCalls<Call extends Made> {
  readonly #byTool = new Map<string, Line<Call>>();
  readonly #byFingerprint = new Map<string, Line<Call>>();
  readonly #fingerprint: (name: string, input: string) => string;
  readonly #isMet: (call: Call) => boolean;

  constructor(calls: Iterable<Call>, stream: number, fingerprint: (name: string, input: string) => string) {
    this.#fingerprint = fingerprint;
    this.#isMet = (call) => call.stream === stream;
    for (const call of calls) {
      if (this.#isMet(call)) continue;
      lineOf(this.#byTool, call.name).add(call);
      lineOf(this.#byFingerprint, fingerprint(call.name, call.input)).add(call);
    }
  }

  hasAny(name: string): boolean {
    return this.#byTool.get(name)?.first(this.#isMet) !== undefined;
  }

  find(name: string, input: string): Call | undefined {
    if (!this.hasAny(name)) return undefined;
    return this.#byFingerprint.get(this.#fingerprint(name, input))?.first(this.#isMet);
  }
}

function lineOf<Call>(lines: Map<string, Line<Call>>, key: string): Line<Call> {
  const known = lines.get(key);
  if (known !== undefined) return known;
  const line = new Line<Call>();
  lines.set(key, line);
  return line;
}
