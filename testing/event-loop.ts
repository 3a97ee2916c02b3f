/** How many turns the event loop makes during some work. Work that never lets others run makes none, whatever it awaits. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(count);
  function count(): void {
    turns++;
    next = setImmediate(count);
  }
  try {
    await work();
  } finally {
    clearImmediate(next);
  }
  return turns;
}
