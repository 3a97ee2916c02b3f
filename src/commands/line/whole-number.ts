import { CommandFailure } from "../../terminal/print.js";

export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new CommandFailure(2, `${option} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}.`);
}
