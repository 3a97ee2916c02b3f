import { z } from "zod";

/**
 * Anything but the types that have schemas of their own, by its name alone. Not a branch for a broken piece of a known type: its own
 * branch says better what is wrong with it.
 */
export function otherThan(known: readonly string[]) {
  return z
    .looseObject({ type: z.string() })
    .refine(({ type }) => !known.includes(type), { abort: true })
    .transform(({ type }): LeftOut => ({ type: "left-out", name: type.slice(0, 40) }));
}

/** A piece of a request that an API has and we have no use for. */
export interface LeftOut {
  readonly type: "left-out";
  readonly name: string;
}
