/** Whether lists and objects stand in each other more than `levels` deep; a value that holds nothing is one level. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (levels < 1) return true;
  if (typeof value !== "object" || value === null) return false;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (isDeeperThan(inner, levels - 1)) return true;
  }
  return false;
}
