import { createHash } from "node:crypto";
import { type CallBlock, joinText, type ToolResult } from "../../turn/blocks.js";
import { BoundedMap } from "../../turn/bounded-map.js";
import { canonicalCall } from "../../turn/canonical.js";
import { GatewayError } from "../../turn/error.js";
import type { Message } from "../../turn/turn.js";

export type Outcome = "success" | "error" | "invalid";

type Call = Pick<CallBlock, "name" | "input">;

/** The number of calls that the guard remembers. A model that loops does so over fewer calls. */
const MAX_REMEMBERED_CALLS = 256;

/**
 * Ends a run in which the model keeps making the same calls. Each call is counted separately, whatever comes between: two
 * calls that alternate are a loop, too. A repeat is an identical call with the same result as last time. A new call, or a different
 * result, is progress and resets all counts: polling that shows news is not a loop, nor is a test run after each edit.
 * The limit counts repeats, not calls: with 2, a call may be made three times and fails at the fourth.
 */
export class LoopGuard {
  readonly #maxRepeats: number;
  readonly #lastResults = new BoundedMap<string, string>(MAX_REMEMBERED_CALLS);
  readonly #times = new Map<string, number>();

  /** 0 turns the guard off. */
  constructor(maxRepeats: number) {
    this.#maxRepeats = maxRepeats;
  }

  /** Takes results in the order of their calls. @throws GatewayError `tool_loop` when one closes a loop. */
  record(call: Call, result: ToolResult): void {
    const closed = this.add(call, result);
    if (closed !== undefined) throw closed;
  }

  /** Forgets all calls: after new words of the user, the model starts over. */
  reset(): void {
    this.#lastResults.clear();
    this.#times.clear();
  }

  add(call: Call, result: ToolResult): GatewayError | undefined {
    if (this.#maxRepeats === 0) return undefined;
    const asked = callFingerprint(call.name, call.input);
    const answered = resultFingerprint(result);
    const isRepeat = this.#lastResults.get(asked) === answered;
    if (!isRepeat) this.#times.clear();
    const times = (this.#times.get(asked) ?? 0) + 1;
    this.#times.set(asked, times);
    this.#lastResults.set(asked, answered);
    return times > this.#maxRepeats + 1 ? loop(call.name, times, result, this.#maxRepeats) : undefined;
  }
}

/** A loop that the model has left by itself is forgiven. @throws GatewayError `tool_loop` when the transcript ends in one. */
export function guardFromTranscript(messages: readonly Message[], maxRepeats: number): LoopGuard {
  const guard = new LoopGuard(maxRepeats);
  if (maxRepeats === 0) return guard;
  let closed: GatewayError | undefined;
  for (const { call, result } of roundsSinceUser(messages)) closed = guard.add(call, result);
  if (closed !== undefined) throw closed;
  return guard;
}

/** Equal for two calls that mean the same: neither the order of keys nor the spelling of numbers and blanks counts. */
export function callFingerprint(name: string, input: string): string {
  return createHash("sha256")
    .update(`${JSON.stringify(name)}${canonicalCall(input)}`)
    .digest("base64url");
}

/** The outcome of a call. Many tools report a failure as plain text, so the first words count too. */
export function outcomeOf(result: ToolResult): Outcome {
  // A failure is stated at the beginning, so a large result is not searched.
  const opening = joinText(result.content).slice(0, 500);
  if (!result.isError && !FAILURE_OPENING.test(opening)) return "success";
  return COMPLAINT.test(opening) ? "invalid" : "error";
}

const FAILURE_OPENING =
  /^\W{0,4}(?:[\w.]*(?:error|exception)\b|fatal\b|fail(?:ed|ure)\b|traceback \(most recent|unable to |cannot |could not |invalid |missing |input validation|validation failed)/i;

const COMPLAINT =
  /\b(?:(?:input )?validation ?(?:error|failed)|inputvalidationerror|zoderror|invalid[ _](?:tool[ _])?(?:arguments?|parameters?|params|inputs?)|(?:missing|required|unknown|unexpected) (?:required )?(?:arguments?|parameters?|property|properties|fields?)|does not match the schema|expected [\w ]{1,100}, received|unrecognized keys?)\b/i;

function roundsSinceUser(messages: readonly Message[]): { call: CallBlock; result: ToolResult }[] {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  const calls: CallBlock[] = [];
  const results = new Map<string, ToolResult[]>();
  for (const message of since) {
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "call") calls.push(block);
    } else if (message.role === "tool") {
      for (const result of message.results) {
        const known = results.get(result.callId);
        // Some models number their calls from the start in each message: the nth result of an id belongs to its nth call.
        if (known === undefined) results.set(result.callId, [result]);
        else known.push(result);
      }
    }
  }
  return calls.flatMap((call) => {
    const result = results.get(call.id)?.shift();
    return result === undefined ? [] : [{ call, result }];
  });
}

/** A digest, because a parked run keeps it for minutes and a result may have a megabyte. */
function resultFingerprint(result: ToolResult): string {
  const hash = createHash("sha256").update(outcomeOf(result));
  for (const block of result.content) {
    const content = "text" in block ? block.text : "data" in block ? block.data : block.url;
    hash.update(` ${block.type} ${content.length} `).update(content);
  }
  return hash.digest("base64url");
}

function loop(name: string, times: number, result: ToolResult, maxRepeats: number): GatewayError {
  const outcomes = { success: "result", error: "error", invalid: "complaint about its arguments" };
  return new GatewayError(
    "tool_loop",
    `The model called the tool "${name}" ${times} times with the same arguments and got the same ` +
      `${outcomes[outcomeOf(result)]} each time, with nothing new in between, so Curlew ended the run. ` +
      `Say what to do differently, or raise TOOL_LOOP_MAX_REPEAT (now ${maxRepeats}; 0 turns this guard off).`,
  );
}
