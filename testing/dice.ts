/** Random numbers from a seed, so that a failure can be repeated. */
export function createDice(seed: number) {
  let state = seed;
  const roll = (sides: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * sides);
  };
  return { roll, pick: <T>(list: readonly T[]): T => list[roll(list.length)] as T };
}

export type Dice = ReturnType<typeof createDice>;
