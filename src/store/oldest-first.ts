interface Timed<Item> {
  readonly timeMs: number;
  readonly item: Item;
}

/** A binary heap. It orders items bit by bit; sorting all of them at once would block the event loop for long. */
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

  /** Takes the oldest item out. */
  pop(): Item | undefined {
    const top = this.#heap[0];
    this.#removeTop();
    return top?.item;
  }

  #removeTop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const childAt = this.#olderOf(2 * at + 1, 2 * at + 2);
      const child = heap[childAt];
      if (child === undefined || child.timeMs >= last.timeMs) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = last;
  }

  #olderOf(left: number, right: number): number {
    const [first, second] = [this.#heap[left], this.#heap[right]];
    return first !== undefined && second !== undefined && second.timeMs < first.timeMs ? right : left;
  }
}
