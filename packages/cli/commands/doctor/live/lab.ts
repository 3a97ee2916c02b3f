import type { Reply } from "@curlew/gateway/core/index.js";
import { anySignal } from "@curlew/gateway/turn/any-signal.js";
import type { ToolResult } from "@curlew/gateway/turn/blocks.js";
import { collect } from "@curlew/gateway/turn/collect.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { Message, ToolDefinition, Turn } from "@curlew/gateway/turn/turn.js";
import type { ComposedGateway } from "../../../app/compose.js";
import { runRecorded } from "../../../app/recorded-run.js";
import type { Settings } from "../../../config/settings.js";
import type { Status } from "../finding.js";
import { resultOf } from "./probe-texts.js";
import type { WireWatch } from "./wire-watch.js";

const TURN_TIMEOUT_MS = 120_000;

interface Asked {
  readonly messages: readonly Message[];
  readonly system?: string;
  readonly tools?: readonly ToolDefinition[];
  readonly model?: string;
}

export type Lab = ReturnType<typeof createLab>;
export type Heard = Awaited<ReturnType<Lab["ask"]>>;

export interface LabLimits {
  readonly signal?: AbortSignal;
  /** Called before each request; throws when the budget is spent. */
  readonly spend?: (isNewTurn: boolean) => void;
}

/** Runs turns directly on a gateway, as a client's requests would. */
export function createLab(gateway: Parameters<typeof runRecorded>[0], usual: string, limits: LabLimits = {}) {
  const begin = ({ messages, system = "", tools = [], model = usual }: Asked, signal: AbortSignal): Promise<Reply> => {
    limits.spend?.(isNewTurn(messages));
    const defaults = { toolChoice: { type: "auto" }, parallelToolCalls: true, warnings: [] } as const;
    const turn: Turn = { model, system, messages, tools, ...defaults };
    const ending = limits.signal === undefined ? signal : anySignal([signal, limits.signal]);
    return runRecorded(gateway, turn, { client: "curlew doctor", caller: "doctor", signal: ending });
  };
  const ask = async (asked: Asked) => {
    const startedMs = performance.now();
    const reply = await begin(asked, AbortSignal.timeout(TURN_TIMEOUT_MS));
    const result = await collect(reply.events);
    return { ...result, continuity: reply.continuity, ms: Math.round(performance.now() - startedMs) };
  };
  return {
    get parkedRuns() {
      return gateway.gateway.parkedRuns;
    },
    begin,
    ask,
    async askThrough(asked: Asked & { messages: Message[] }, maxRounds = 3) {
      for (let round = 0; ; round++) {
        const heard = await ask(asked);
        if (heard.calls.length === 0 || round === maxRounds) return { ...heard, calls: [] };
        asked.messages.push(said(heard), results(heard.calls));
      }
    },
  };
}

/** Tool results continue the turn of their calls, even if text follows them. */
function isNewTurn(messages: readonly Message[]): boolean {
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  return !messages.slice(answered + 1).some(({ role }) => role === "tool");
}

export function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

export function said({ text, calls }: Pick<Heard, "text" | "calls">): Message {
  return { role: "assistant", content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls] };
}

export function results(calls: readonly { readonly id: string; readonly name: string }[]): Message {
  const toResult = ({ id, name }: { id: string; name: string }): ToolResult => ({
    callId: id,
    content: [{ type: "text", text: resultOf(name)?.text ?? "There is no such tool." }],
    isError: resultOf(name) === undefined,
  });
  return { role: "tool", results: calls.map(toResult) };
}

/** What a probe saw: `ok` as expected, `warn` differs but harmless, `fail` failed, `skipped` not shown. */
export interface Verdict {
  readonly status: Status;
  readonly note: string;
  readonly answer?: string;
}

export interface ProbeBench {
  readonly lab: Lab;
  readonly composed: ComposedGateway;
  readonly watch: WireWatch;
  /** Runs `use` on another gateway with the same state, then closes it. */
  withOther<Result>(changes: Partial<Settings>, use: (lab: Lab) => Promise<Result>): Promise<Result>;
}

/** A few turns that show whether Cursor still behaves as Curlew expects. */
export interface Probe {
  /** What `run` judges, in this order. */
  readonly claims: readonly { readonly name: string; readonly claim: string }[];
  readonly turns: number;
  run(bench: ProbeBench): AsyncGenerator<Verdict>;
}

/** Whether only this request was refused. The account's limits and sign-in would refuse any other too. */
export function isOwnRefusal(thrown: unknown): thrown is GatewayError {
  return thrown instanceof GatewayError && !["authentication", "quota", "rate-limit"].includes(thrown.kind);
}

export function probe(
  name: string,
  claim: string,
  turns: number,
  judge: (bench: ProbeBench) => Verdict | Promise<Verdict>,
): Probe {
  return {
    claims: [{ name, claim }],
    turns,
    async *run(bench) {
      yield await judge(bench);
    },
  };
}

const verdict =
  (status: Verdict["status"]) =>
  (note: string, answer?: string): Verdict => ({ status, note, ...(answer !== undefined && { answer }) });

export const asExpected = verdict("ok");
export const otherwise = verdict("fail");
/** Not as expected, but Curlew copes with it. */
export const harmless = verdict("warn");
export const notShown = verdict("skipped");

/** Judges an answer by whether it contains a whole word: "shared" does not contain "red". */
export function byWord(answer: string, word: string, ifSo: string, ifNot: string): Verdict {
  return has(answer, word) ? asExpected(ifSo, answer) : otherwise(ifNot, answer);
}

export function has(text: string, word: string): boolean {
  return spaced(text).includes(spaced(word));
}

function spaced(text: string): string {
  return ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ")} `;
}
