import { reasonOf as messageOf } from "@curlew/gateway/turn/reason-of.js";

export type Status = "ok" | "warn" | "fail" | "skipped";
export type Finding = ReturnType<typeof ok>;

const finding =
  (status: Status) =>
  (check: string, why: string, fix: string | null = null) => ({ check, status, why, fix });

export const ok = finding("ok");
export const warn = finding("warn");
export const fail = finding("fail");
export const skipped = finding("skipped");

export function reasonOf(thrown: unknown): string {
  return messageOf(thrown).replace(/\s+/g, " ");
}
