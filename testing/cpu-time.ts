/**
 * How long this process has computed for something, whatever else the machine had to do meanwhile. For code that must not take
 * the square of its input's length: on an input that is long enough, that is a thousand times what it should take.
 */
export function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
