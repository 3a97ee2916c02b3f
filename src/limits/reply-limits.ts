import { GatewayError } from "../turn/error.js";
import type { Batch, Step, Usage } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";
import { LengthLimit } from "./length-limit.js";
import { StopSequences } from "./stop-sequences.js";

type Limits = Pick<Turn, "stop" | "maxTokens">;

/** Each character of a stop sequence takes memory during the reply. */
const MAX_STOP_CHARACTERS = 32 * 1024;

/** The limits that end a reply before the model does. */
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

export function hasLimits({ stop, maxTokens }: Limits): boolean {
  return stop !== undefined || maxTokens !== undefined;
}

/**
 * Fronts refuse malformed limits in the words of their dialect; this check is for all dialects.
 * @throws GatewayError `invalid_request` for a limit that is not a positive whole number, or stop sequences that are too long
 */
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
