import type { Clock } from "../clock.js";
import { anySignal } from "../turn/any-signal.js";
import { type AttributeValues, type Span, toExport } from "./otlp.js";

/** The usual values of OpenTelemetry's own exporters. */
const MAX_QUEUED = 2_048;
const MAX_SENT = 512;
const SEND_EVERY_MS = 5_000;
const TIMEOUT_MS = 10_000;
/** How long the end of the gateway waits for the last spans. */
const LAST_TIMEOUT_MS = 2_000;

export interface ExporterDeps {
  readonly url: string;
  /** They may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: AttributeValues;
  readonly version: string;
  readonly clock: Pick<Clock, "after">;
  /** Told once when spans are lost, and again only after some have arrived. */
  readonly onProblem: (problem: Error) => void;
}

/** Sends spans in batches. What cannot be sent is dropped: nobody waits for a trace. */
export class OtlpExporter {
  readonly #deps: ExporterDeps;
  readonly #queue: Span[] = [];
  readonly #givingUp = new AbortController();
  #cancelTimer: (() => void) | undefined;
  #sending: Promise<void> | undefined;
  #isFailing = false;

  constructor(deps: ExporterDeps) {
    this.#deps = deps;
  }

  add(spans: readonly Span[]): void {
    if (this.#queue.length + spans.length > MAX_QUEUED) {
      this.#report(`More than ${MAX_QUEUED} spans wait to be sent; others are dropped.`);
      return;
    }
    this.#queue.push(...spans);
    if (this.#queue.length >= MAX_SENT) this.#send();
    else this.#cancelTimer ??= this.#deps.clock.after(SEND_EVERY_MS, () => this.#send());
  }

  /** Sends what is left, unless that takes long. */
  async close(): Promise<void> {
    const cancel = this.#deps.clock.after(LAST_TIMEOUT_MS, () => this.#givingUp.abort());
    await this.#sending;
    this.#send();
    await this.#sending;
    cancel();
  }

  #send(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const signal = anySignal([this.#givingUp.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    this.#sending ??= this.#sendAll(signal).finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(signal: AbortSignal): Promise<void> {
    while (this.#queue.length > 0) await this.#post(this.#queue.splice(0, MAX_SENT), signal);
  }

  async #post(spans: readonly Span[], signal: AbortSignal): Promise<void> {
    const { url, headers, resource, version } = this.#deps;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(toExport(resource, version, spans)),
        redirect: "error",
        signal,
      });
      await response.body?.cancel();
      if (response.ok) this.#isFailing = false;
      else this.#report(`The receiver of traces at ${hostOf(url)} answered with status ${response.status}.`);
    } catch (thrown) {
      this.#report(`The receiver of traces at ${hostOf(url)} could not be reached.`, thrown);
    }
  }

  #report(message: string, cause?: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#deps.onProblem(new Error(message, { cause }));
  }
}

/** The rest of an address may hold a secret. */
function hostOf(url: string): string {
  return new URL(url).host;
}
