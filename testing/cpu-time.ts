/**
 * CPU time of `work` in this process, independent of machine load. For code that must not be quadratic: on a long enough input,
 * quadratic code takes a thousand times as long as it should.
 */
export function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
