import { CommandFailure } from "../line/command-failure.js";

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The moment so long ago: `1h` is an hour before now.
 * @throws {CommandFailure} The text is no such time.
 */
export function sinceMs(option: string, text: string, nowMs: number): number {
  const [, count = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = units[unit];
  if (unitMs !== undefined) return nowMs - Number(count) * unitMs;
  throw new CommandFailure(2, `${option} must be a time such as 90s, 30m, 1h or 7d, not ${JSON.stringify(text)}.`);
}
