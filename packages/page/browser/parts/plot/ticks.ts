/** Round steps within one power of ten. */
const ROUND_STEPS = [1, 2, 2.5, 5, 10];

interface TickOptions {
  readonly mostSteps: number;
  /** Whether the values are whole numbers, so that ticks must be, too. */
  readonly isWhole: boolean;
}

/** Round values from zero to the first one at or above `max`. Only zero if `max` is zero. */
export function roundTicks(max: number, { mostSteps, isWhole }: TickOptions): number[] {
  if (!(max > 0) || !Number.isFinite(max)) return [0];
  const power = 10 ** Math.floor(Math.log10(max / mostSteps));
  const steps = ROUND_STEPS.map((each) => tidy(each * power)).filter((step) => !isWhole || Number.isInteger(step));
  const step = steps.find((each) => tidy(max / each) <= mostSteps) ?? 1;
  const count = Math.ceil(tidy(max / step));
  return Array.from({ length: count + 1 }, (_, index) => tidy(index * step));
}

/** Removes floating-point noise: 0.30000000000000004. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

/** Short form: 500, 1k, 2.5M. */
export function countTick(value: number): string {
  const units = ["", "k", "M", "B", "T"];
  const thousands = value < 1 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), units.length - 1);
  return `${tidy(value / 1000 ** thousands)}${units[thousands]}`;
}

/** $2 for steps of whole dollars, $2.50 for cents, $0.005 below. */
export function dollarTick(value: number, step: number): string {
  const digits = Number.isInteger(step) ? 0 : Math.max(2, (String(step).split(".")[1] ?? "").length);
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}
