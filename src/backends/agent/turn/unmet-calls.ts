interface Made {
  readonly name: string;
  readonly input: string;
  readonly stream: number;
}

/**
 * Calls of earlier streams that the present stream may ask for again under other ids. They are found by what they ask, oldest
 * first.
 */
export class UnmetCalls<Call extends Made> {
  /** The oldest call is last, so that matched calls can be popped. */
  readonly #byTool = new Map<string, Call[]>();
  readonly #byFingerprint = new Map<string, Call[]>();
  readonly #fingerprint: (name: string, input: string) => string;
  readonly #stream: number;

  constructor(calls: readonly Call[], stream: number, fingerprint: (name: string, input: string) => string) {
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

function add<Call>(call: Call, calls: Map<string, Call[]>, key: string): void {
  const known = calls.get(key);
  if (known === undefined) calls.set(key, [call]);
  else known.push(call);
}
