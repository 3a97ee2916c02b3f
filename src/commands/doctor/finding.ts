/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail" | "skipped";
  /** One line. */
  readonly why: string;
  /** The one command that helps. */
  readonly fix: string | null;
}

export function ok(check: string, why: string): Finding {
  return { check, status: "ok", why, fix: null };
}

export function warn(check: string, why: string, fix: string | null = null): Finding {
  return { check, status: "warn", why, fix };
}

export function fail(check: string, why: string, fix: string | null = null): Finding {
  return { check, status: "fail", why, fix };
}

export function skipped(check: string, why: string): Finding {
  return { check, status: "skipped", why, fix: null };
}

/** The message of whatever was thrown, on one line. */
export function reasonOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\s+/g, " ");
}
