import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import { readKeys, type StoredKey } from "@curlew/meter/keys/index.js";
import type { LedgerReader } from "@curlew/meter/ledger/index.js";
import { createPrices } from "@curlew/meter/prices/prices.js";
import {
  amountText,
  type Ceilings,
  type LimitInUse,
  type Limits,
  limitsInUse,
  type PlanUse,
  timeText,
  units,
} from "@curlew/meter/spend/index.js";
import { keysFile, limitsFile } from "../../app/prepare/own-files.js";
import { readAccount } from "../../app/with-gateway.js";
import type { Settings } from "../../config/settings.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import type { Colors } from "../../terminal/print.js";
import { startSpinner } from "../../terminal/spinner.js";
import { table } from "../../terminal/table.js";
import { withLedger } from "../journal/with-ledger.js";

/** Every limit with its current use. Calls Cursor only if a limit is a share of the plan. */
export async function reportLimits(machine: CommandMachine, settings: Settings, limits: Limits) {
  const problems: string[] = [];
  const onProblem = (problem: unknown) => void problems.push(reasonOf(problem));
  const plan = limits.plan === undefined ? undefined : await planOf(machine, settings, onProblem);
  const read = (reader: LedgerReader) => {
    const keys = keysAt(keysFile(settings), onProblem);
    const { costOf } = createPrices(settings.prices);
    return limitsInUse({ reader, limits, keys, costOf, plan, nowMs: Date.now() });
  };
  const used = await withLedger(settings, onProblem, read);
  return { file: limitsFile(settings), limits: used, allowed: limits.allowed ?? {}, problems };
}

function keysAt(path: string, onProblem: (problem: unknown) => void): readonly StoredKey[] {
  try {
    return readKeys(path) ?? [];
  } catch (problem) {
    onProblem(problem);
    return [];
  }
}

async function planOf(
  machine: CommandMachine,
  settings: Settings,
  onProblem: (problem: unknown) => void,
): Promise<PlanUse | undefined> {
  const { account, problem } = await readAccount(settings, machine.stderr).finally(
    startSpinner(machine, "asking Cursor"),
  );
  if (problem !== null) onProblem(`Plan usage is unavailable: ${problem}`);
  return account ?? undefined;
}

type LimitsReport = Awaited<ReturnType<typeof reportLimits>>;

export function describeLimits({ limits, allowed, problems }: LimitsReport, colors: Colors, columns: number): string {
  const shown = limits.filter(({ max, used }) => max !== null || (used ?? 0) > 0);
  const rows = shown.map((limit) => [
    limit.key === null ? limit.name : `${limit.name} of ${limit.key}`,
    limit.max === null ? "none" : amount(limit.unit, limit.max),
    limit.used === null ? "unknown" : amount(limit.unit, limit.used),
    limit.max === null || limit.used === null ? "" : `${Math.floor((100 * limit.used) / limit.max)}%`,
    limit.endsMs === null ? "" : timeText(limit.endsMs),
    whatItDoes(limit),
    note(limit),
  ]);
  const names = ["LIMIT", "VALUE", "USED", "SHARE", "RESETS", "WHEN EXCEEDED", ""];
  // A narrow terminal drops the notes, then the share, then the time.
  const list = Object.entries(allowed).map(([thread, ceilings]) => `May continue: ${thread}${upTo(ceilings)}.\n`);
  return [
    table(names, rows, { right: [1, 2, 3], dim: colors.dim, width: columns, spare: [6, 3, 4] }),
    ...shown.map(unpriced),
    ...list,
    ...problems.map((problem) => `${colors.yellow(problem)}\n`),
    `\nLimits in requests count turns, not their tool rounds; those of client.* count every request.\n`,
    `To set one: curlew limits set day.tokens 20000000\n`,
  ].join("");
}

function amount(unit: LimitInUse["unit"], value: number): string {
  return unit === "percent" ? `${Number(value.toFixed(1))}%` : amountText(unit, value);
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

function unpriced({ name, key, max, unpricedTokens }: LimitInUse): string {
  if (max === null || !unpricedTokens) return "";
  const whose = key === null ? "" : ` of ${key}`;
  return `Not counted in ${name}${whose}: ${amountText("tokens", unpricedTokens)} tokens of models without a price.\n`;
}

function upTo(ceilings: Ceilings): string {
  const parts = units.flatMap((unit) => {
    const max = ceilings[unit];
    return max === undefined ? [] : [`${amountText(unit, max)}${unit === "dollars" ? "" : ` ${unit}`}`];
  });
  return parts.length === 0 ? ", without a limit" : ` up to ${parts.join(" and ")}`;
}
