import type { Message } from "@bufbuild/protobuf";

type DriftKind = "message" | "update" | "exec" | "query" | "kv";

/** Counts what this build does not know: by kind, and by kind and field number, such as `update 25`. */
export type Drift = Record<DriftKind, number> & Record<string, number>;

/** A server that makes up numbers must not fill the memory. */
const MAX_NAMES = 100;

export function noDrift(): Drift {
  return { message: 0, update: 0, exec: 0, query: 0, kv: 0 };
}

/** Counts a message of an unknown kind. The kind is one of the fields that the generated code could not place. */
export function countUnknown(drift: Drift, kind: DriftKind, { $unknown = [] }: Message): void {
  drift[kind]++;
  for (const { no } of $unknown) {
    const name = `${kind} ${no}`;
    const count = drift[name];
    if (count !== undefined) drift[name] = count + 1;
    else if (Object.keys(drift).length < MAX_NAMES) drift[name] = 1;
  }
}
