export function planResetText(resets: Date): string {
  return `Your plan resets on ${resets.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" })}.`;
}
