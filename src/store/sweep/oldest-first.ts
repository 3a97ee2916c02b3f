interface Timed<Item> {
  readonly timeMs: number;
  readonly item: Item;
}

/** A binary heap: what comes in is put in order bit by bit, where sorting all of it at once would block for long. */
export class OldestFirst<Item> {
  readonly #heap: Timed<Item>[] = [];

  push(timeMs: number, item: Item): void {
    const heap = this.#heap;
    const added = { timeMs, item };
    let at = heap.length;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt];
      if (parent === undefined || parent.timeMs <= timeMs) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = added;
  }

  peek(): Timed<Item> | undefined {
    return this.#heap[0];
  }

  pop(): Timed<Item> | undefined {
    const heap = this.#heap;
    const oldest = heap[0];
    const last = heap.pop();
    if (oldest === undefined || last === undefined || heap.length === 0) return oldest;
    let at = 0;
    for (;;) {
      const childAt = this.#olderOf(2 * at + 1, 2 * at + 2);
      const child = heap[childAt];
      if (child === undefined || child.timeMs >= last.timeMs) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = last;
    return oldest;
  }

  #olderOf(left: number, right: number): number {
    const [first, second] = [this.#heap[left], this.#heap[right]];
    return first !== undefined && second !== undefined && second.timeMs < first.timeMs ? right : left;
  }
}
