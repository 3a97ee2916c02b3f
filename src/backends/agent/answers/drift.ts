/** How often the server said something that this build does not know, by kind. */
export type DriftKind = "message" | "update" | "exec" | "query" | "kv";

export class Drift {
  readonly counts: Record<DriftKind, number> = { message: 0, update: 0, exec: 0, query: 0, kv: 0 };

  count(kind: DriftKind): void {
    this.counts[kind]++;
  }
}
