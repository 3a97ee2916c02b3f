import { amountText, type Ceilings, type LimitInUse, type Limits, timeText, units } from "../../spend/index.js";
import type { Colors } from "../line/colors.js";
import { fittedRows, table } from "../terminal/table.js";

export interface LimitsReport {
  readonly file: string;
  readonly limits: readonly LimitInUse[];
  readonly allowed: NonNullable<Limits["allowed"]>;
  /** What could not be found out, and why. */
  readonly problems: readonly string[];
}

export function describeLimits({ limits, allowed, problems }: LimitsReport, colors: Colors, columns: number): string {
  const shown = limits.filter(({ max, used }) => max !== null || (used ?? 0) > 0);
  const rows = shown.map((limit) => [
    limit.key === null ? limit.name : `${limit.name} of ${limit.key}`,
    limit.max === null ? "none" : amount(limit.unit, limit.max),
    limit.used === null ? "unknown" : amount(limit.unit, limit.used),
    share(limit),
    limit.endsMs === null ? "" : timeText(limit.endsMs),
    whatItDoes(limit),
    note(limit),
  ]);
  const names = ["LIMIT", "VALUE", "USED", "SHARE", "RESETS", "WHEN EXCEEDED", ""];
  // A narrow terminal goes without the notes, then without the share, then without the time.
  const [head = [], ...fitting] = fittedRows([names, ...rows], columns, [6, 3, 4]);
  const right = head.flatMap((name, column) => (["VALUE", "USED", "SHARE"].includes(name) ? [column] : []));
  const list = Object.entries(allowed).map(([thread, ceilings]) => `Allowed to go on: ${thread}${upTo(ceilings)}.\n`);
  return [
    table(head, fitting, { right, dim: colors.dim }),
    ...list,
    ...problems.map((problem) => `${colors.yellow(problem)}\n`),
    `\nTo set one: curlew limits set day.tokens 20000000\n`,
  ].join("");
}

function amount(unit: LimitInUse["unit"], value: number): string {
  return unit === "percent" ? `${Number(value.toFixed(1))}%` : amountText(unit, value);
}

function share({ max, used }: LimitInUse): string {
  return max === null || used === null ? "" : `${Math.floor((100 * used) / max)}%`;
}

function whatItDoes({ of, isRefusing }: LimitInUse): string {
  if (of === "nobody") return "";
  const whose = of === "default" ? "default" : of === "key" ? "the key's" : "yours";
  return `${isRefusing ? "refuses" : "warns"} (${whose})`;
}

function note({ most, models, name }: LimitInUse): string {
  if (models !== null) return `for ${models.join(", ")}`;
  if (most === null || most === "") return "";
  return name.startsWith("conversation.") ? `conversation ${most}` : `client ${most}`;
}

function upTo(ceilings: Ceilings): string {
  const parts = units.flatMap((unit) => {
    const max = ceilings[unit];
    return max === undefined ? [] : [`${amountText(unit, max)}${unit === "dollars" ? "" : ` ${unit}`}`];
  });
  return parts.length === 0 ? ", without an end" : ` up to ${parts.join(" and ")}`;
}
