export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail" | "skipped";
  /** One line of text. */
  readonly why: string;
  /** The command that fixes it. */
  readonly fix: string | null;
}

const finding =
  (status: Finding["status"]) =>
  (check: string, why: string, fix: string | null = null): Finding => ({ check, status, why, fix });

export const ok = finding("ok");
export const warn = finding("warn");
export const fail = finding("fail");
export const skipped = finding("skipped");

/** The message of anything thrown, on one line. */
export function reasonOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\s+/g, " ");
}
