import type { ComposedGateway } from "../../../app/compose.js";
import type { Settings } from "../../../config/settings.js";
import { GatewayError } from "../../../turn/error.js";
import type { Lab } from "./lab.js";
import type { WireWatch } from "./wire-watch.js";

/** What a probe saw: `ok` as expected, `warn` differs but harmless, `fail` failed, `skipped` not shown. */
export interface Verdict {
  readonly status: "ok" | "warn" | "fail" | "skipped";
  readonly note: string;
  readonly answer?: string;
}

export interface ProbeBench {
  readonly lab: Lab;
  readonly composed: ComposedGateway;
  readonly watch: WireWatch;
  /** Runs something on another gateway with the same state, and closes it. */
  withOther<Result>(changes: Partial<Settings>, use: (lab: Lab) => Promise<Result>): Promise<Result>;
}

/** A few turns that show whether Cursor still behaves as Curlew expects. */
export interface Probe {
  /** What `run` judges, in this order. */
  readonly claims: readonly { readonly name: string; readonly claim: string }[];
  readonly turns: number;
  run(bench: ProbeBench): AsyncGenerator<Verdict>;
}

/** Whether a failure is the refusal of this one request. The account's limits and sign-in would refuse any other too. */
export function isOwnRefusal(thrown: unknown): thrown is GatewayError {
  return thrown instanceof GatewayError && !["authentication", "quota", "rate-limit"].includes(thrown.kind);
}

const verdict =
  (status: Verdict["status"]) =>
  (note: string, answer?: string): Verdict => ({ status, note, ...(answer !== undefined && { answer }) });

export const asExpected = verdict("ok");
export const otherwise = verdict("fail");
/** Not as expected, but Curlew copes with it. */
export const harmless = verdict("warn");
export const notShown = verdict("skipped");
