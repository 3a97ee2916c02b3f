/** Whether lists and objects are nested more than `levels` deep. A value that contains nothing is one level. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (levels < 1) return true;
  if (typeof value !== "object" || value === null) return false;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (isDeeperThan(inner, levels - 1)) return true;
  }
  return false;
}
