import { GatewayError } from "../../turn/error.js";
import { type Batch, rewriteBatch, type Step, type TurnEvent, type Usage } from "../../turn/event.js";
import type { Turn } from "../../turn/turn.js";
import { StopSequences } from "./stop-sequences.js";

type Limits = Pick<Turn, "stop" | "maxTokens">;

/** Each character of a stop sequence takes memory during the reply. */
const MAX_STOP_CHARACTERS = 32 * 1024;

export class ReplyLimits implements Step {
  readonly #maxTokens: number | undefined;
  readonly #stop: StopSequences | undefined;
  readonly #length: LengthLimit | undefined;

  /** `isCallDue` says whether the request requires a call that has not been made yet. */
  constructor({ stop = [], maxTokens }: Limits, isCallDue: () => boolean = () => false) {
    this.#maxTokens = maxTokens;
    const sequences = stop.filter((sequence) => sequence !== "");
    if (sequences.length > 0) this.#stop = new StopSequences(sequences, isCallDue);
    if (maxTokens !== undefined) this.#length = new LengthLimit(maxTokens);
  }

  /** Whether a limit was reached. The batch that reaches it is the last. */
  get hasEnded(): boolean {
    return this.#stop?.hasEnded === true || this.#length?.hasEnded === true;
  }

  /** The usage to report for a reply that was cut: never more output than the client asked for. */
  capped(usage: Usage): Usage {
    if (this.#maxTokens === undefined || this.#length?.hasEnded !== true) return usage;
    const outputTokens = Math.min(usage.outputTokens, this.#maxTokens);
    return { ...usage, outputTokens, reasoningTokens: Math.min(usage.reasoningTokens, outputTokens) };
  }

  push(batch: Batch): Batch {
    const unstopped = this.#stop?.push(batch) ?? batch;
    return this.#length?.push(unstopped) ?? unstopped;
  }

  end(): Batch {
    return this.#stop?.end() ?? [];
  }
}

/** The check for all dialects, after each front's own. @throws GatewayError `invalid_request` */
export function refuseBadLimits({ stop = [], maxTokens = 1 }: Limits): void {
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new GatewayError("invalid_request", "The limit of output tokens must be a whole number of 1 or more.", {
      param: "max_tokens",
    });
  }
  if (stop.reduce((sum, { length }) => sum + length, 0) > MAX_STOP_CHARACTERS) {
    const text = `The stop sequences must not be longer than ${MAX_STOP_CHARACTERS} characters together.`;
    throw new GatewayError("invalid_request", text, { param: "stop" });
  }
}

/**
 * Cursor reports no tokens while a reply is streamed, so we count characters (UTF-16 units). Elsewhere we assume four per token; here
 * it is five, which prose hardly exceeds: a reply that is shorter than its limit must not be cut. Dense scripts are cut late.
 */
const CHARACTERS_PER_TOKEN = 5;

/**
 * Ends a reply once it has this many tokens of text and arguments. Thinking does not count, because a client that wants a title in
 * twenty tokens would get nothing. A call that has begun is sent whole; later calls stay with the run for the next reply.
 */
export class LengthLimit implements Step {
  hasEnded = false;
  #left: number;
  #hasCalled = false;
  readonly #unsent = new Set<string>();

  constructor(maxTokens: number) {
    this.#left = maxTokens * CHARACTERS_PER_TOKEN;
  }

  push(batch: Batch): Batch {
    const passed = rewriteBatch(batch, this.#rewritten);
    return this.hasEnded ? [...passed, { type: "finish", reason: "length" }] : passed;
  }

  readonly #rewritten = (event: TurnEvent): Batch | "keep" => {
    // If the turn ended in the rest of the batch, its usage is known, so it is kept.
    if (this.hasEnded) return event.type === "usage" ? "keep" : [];
    switch (event.type) {
      case "text":
        return this.#words(event);
      case "thinking":
        return this.#left > 0 ? "keep" : [];
      case "call":
        if (this.#left > 0) {
          this.#hasCalled ||= event.runs === "client";
          return "keep";
        }
        this.hasEnded = !this.#hasCalled;
        this.#unsent.add(event.id);
        return [];
      case "call-input":
        if (this.#unsent.has(event.id)) return [];
        this.#left = Math.max(0, this.#left - event.delta.length);
        return "keep";
      case "call-end":
      case "call-result":
        return this.#unsent.has(event.id) ? [] : "keep";
      case "usage":
      case "checkpoint":
      case "finish":
        return "keep";
    }
  };

  #words(event: Extract<TurnEvent, { type: "text" }>): Batch | "keep" {
    const { delta } = event;
    if (delta.length <= this.#left) {
      this.#left -= delta.length;
      return "keep";
    }
    const isPair = (delta.codePointAt(this.#left - 1) ?? 0) > 0xffff;
    const end = isPair ? this.#left + 1 : this.#left;
    this.#left = 0;
    this.hasEnded = !this.#hasCalled;
    return end === 0 ? [] : [{ ...event, delta: delta.slice(0, end) }];
  }
}
