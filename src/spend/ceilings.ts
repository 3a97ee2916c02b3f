import {
  type Ceilings,
  defaultCeilings,
  type Limits,
  type Span,
  type SpanCeilings,
  spans,
  type Unit,
  units,
} from "./limits.js";

/** Whose limit it is: that of the whole gateway as the owner or nobody has set it, or that of a key. */
export type CeilingOf = "owner" | "default" | "key";

/** One limit, ready to be compared. */
export interface Ceiling {
  readonly of: CeilingOf;
  readonly span: Span;
  readonly unit: Unit;
  readonly max: number;
  /** From here on there is a warning. */
  readonly warnFrom: number;
}

const WARN_SHARE = 0.9;

/** The owner's ceilings, and the default ones where the owner has set none. */
export function ceilingsFor(limits: Limits): readonly Ceiling[] {
  return spans.flatMap((span) => {
    const usual: Ceilings = defaultCeilings[span];
    return units.flatMap((unit) => {
      const set = limits[span]?.[unit];
      const max = set ?? usual[unit];
      return max === undefined ? [] : [ceiling(set === undefined ? "default" : "owner", span, unit, max)];
    });
  });
}

/** The ceilings of a key. */
export function keyCeilings(limits: SpanCeilings): readonly Ceiling[] {
  return spans.flatMap((span) =>
    units.flatMap((unit) => {
      const max = limits[span]?.[unit];
      return max === undefined ? [] : [ceiling("key", span, unit, max)];
    }),
  );
}

/** A ceiling for one conversation that the owner lets go on; undefined when it has none any more. */
export function raised(general: Ceiling, allowed: Ceilings): Ceiling | undefined {
  if (units.every((unit) => allowed[unit] === undefined)) return undefined;
  const own = allowed[general.unit];
  return own === undefined ? general : ceiling("owner", general.span, general.unit, Math.max(general.max, own));
}

/** Such as `day.tokens`, or `key.day.tokens`. */
export function nameOf({ of, span, unit }: Ceiling): string {
  return of === "key" ? `key.${span}.${unit}` : `${span}.${unit}`;
}

function ceiling(of: CeilingOf, span: Span, unit: Unit, max: number): Ceiling {
  return { of, span, unit, max, warnFrom: max * WARN_SHARE };
}
