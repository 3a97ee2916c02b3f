/** Says when a plan that is used up can be used again, as errors do. */
export function planResetText(resets: Date): string {
  return `Your plan resets on ${resets.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" })}.`;
}
