import type { Lab } from "./lab.js";

/** Whether something that Curlew builds on is so today. */
export interface Verdict {
  readonly status: "ok" | "warn" | "fail";
  readonly note: string;
  /** The beginning of what the model said, for the report. */
  readonly answer?: string;
}

/** A few turns that show whether some facts of the protocol hold. */
export interface Probe {
  /** In the order in which `run` judges them. */
  readonly facts: readonly { readonly name: string; readonly fact: string }[];
  readonly turns: number;
  run(lab: Lab): AsyncGenerator<Verdict>;
}

export function holds(note: string, answer?: string): Verdict {
  return { status: "ok", note, ...(answer !== undefined && { answer }) };
}

export function unclear(note: string, answer?: string): Verdict {
  return { status: "warn", note, ...(answer !== undefined && { answer }) };
}

export function broken(note: string, answer?: string): Verdict {
  return { status: "fail", note, ...(answer !== undefined && { answer }) };
}
