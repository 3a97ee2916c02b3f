/** How many turns the event loop makes during `work`: none if the work never yields to it, whatever it awaits. */
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
