interface Node {
  /** The number of characters on the path to this node. */
  readonly depth: number;
  readonly next: Map<number, Node>;
  /** The node of the longest suffix of this path that also begins a sequence. */
  fallback: Node | undefined;
  /** The longest sequence that ends at this node. */
  ended: string | undefined;
}

interface Match {
  /** The offset from the first character ever read. */
  readonly start: number;
  readonly sequence: string;
}

/**
 * Finds the first of several sequences in a text that comes in pieces. Each character is read once, however the text is cut and
 * however many sequences there are (Aho and Corasick, 1975). The sequence that begins first wins, then the longest.
 */
export class StopMatcher {
  /** The number of characters read. */
  read = 0;
  readonly #root: Node;
  #node: Node;
  /** The best match so far. A match that began earlier, or is longer, may still come. */
  #match: Match | undefined;

  constructor(sequences: readonly string[]) {
    this.#root = buildTrie(sequences);
    this.#node = this.#root;
  }

  /** How many of the last characters may belong to a sequence. */
  get undecided(): number {
    return this.#node.depth;
  }

  /** Returns undefined while no match is certain. */
  push(text: string): Match | undefined {
    for (let at = 0; at < text.length; at++) {
      this.#step(text.charCodeAt(at));
      if (this.#isDecided()) return this.#match;
    }
    return undefined;
  }

  /** Ends the text and returns the match, if there is one. Characters that are pushed later belong to another text. */
  end(): Match | undefined {
    const match = this.#match;
    this.#node = this.#root;
    this.#match = undefined;
    return match;
  }

  #step(code: number): void {
    this.read++;
    this.#node = follow(this.#node, code) ?? this.#root;
    const { ended } = this.#node;
    if (ended === undefined) return;
    const start = this.read - ended.length;
    if (this.#match === undefined || start <= this.#match.start) this.#match = { start, sequence: ended };
  }

  #isDecided(): boolean {
    if (this.#match === undefined) return false;
    const start = this.read - this.#node.depth;
    return start > this.#match.start || (start === this.#match.start && this.#node.next.size === 0);
  }
}

function buildTrie(sequences: readonly string[]): Node {
  const root: Node = { depth: 0, next: new Map(), fallback: undefined, ended: undefined };
  for (const sequence of sequences) {
    let node = root;
    for (let at = 0; at < sequence.length; at++) {
      const code = sequence.charCodeAt(at);
      const next = node.next.get(code) ?? { depth: at + 1, next: new Map(), fallback: root, ended: undefined };
      node.next.set(code, next);
      node = next;
    }
    node.ended = sequence;
  }
  // The nodes are visited level by level, because a fallback is always nearer to the root.
  const nodes = [root];
  for (const node of nodes) {
    for (const [code, child] of node.next) {
      child.fallback = follow(node.fallback, code) ?? root;
      child.ended ??= child.fallback.ended;
      nodes.push(child);
    }
  }
  return root;
}

/** The node that a character leads to, from this node or else from the nearest of its fallbacks. */
function follow(node: Node | undefined, code: number): Node | undefined {
  for (let from = node; from !== undefined; from = from.fallback) {
    const next = from.next.get(code);
    if (next !== undefined) return next;
  }
  return undefined;
}
