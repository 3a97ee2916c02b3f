import { reasonOf as messageOf } from "../../turn/reason-of.js";

export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail" | "skipped";
  readonly why: string;
  readonly fix: string | null;
}

const finding =
  (status: Finding["status"]) =>
  (check: string, why: string, fix: string | null = null): Finding => ({ check, status, why, fix });

export const ok = finding("ok");
export const warn = finding("warn");
export const fail = finding("fail");
export const skipped = finding("skipped");

export function reasonOf(thrown: unknown): string {
  return messageOf(thrown).replace(/\s+/g, " ");
}
