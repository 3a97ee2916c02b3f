interface Node {
  /** How many characters lead here. */
  readonly depth: number;
  readonly next: Map<number, Node>;
  /** The longest end of what leads here that also begins a sequence. */
  fallback: Node | undefined;
  /** The longest sequence that ends here. */
  ended: string | undefined;
}

interface Match {
  /** Counted from the first character ever read. */
  readonly start: number;
  readonly sequence: string;
}

/**
 * Finds the first of several sequences in a text that comes in pieces: each character is looked at once, however the text
 * is cut and however many sequences there are (Aho and Corasick, 1975). The one that begins first wins, then the longest.
 */
export class StopMatcher {
  /** How many characters were read. */
  read = 0;
  readonly #root: Node;
  #node: Node;
  /** The best so far: one that began earlier, or goes on longer, may still turn up. */
  #match: Match | undefined;

  constructor(sequences: readonly string[]) {
    this.#root = buildTrie(sequences);
    this.#node = this.#root;
  }

  /** How many characters at the end of what was read may belong to a sequence. */
  get undecided(): number {
    return this.#node.depth;
  }

  /** Undefined while nothing is certain. */
  push(text: string): Match | undefined {
    for (let at = 0; at < text.length; at++) {
      this.#step(text.charCodeAt(at));
      if (this.#isDecided()) return this.#match;
    }
    return undefined;
  }

  /** The text ends here, so what was found is all there is; what is read from now on is another text. */
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
  // Level by level: a fallback is always nearer to the root.
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

/** Where a character leads, from the node or else from the nearest of its fallbacks. */
function follow(node: Node | undefined, code: number): Node | undefined {
  for (let from = node; from !== undefined; from = from.fallback) {
    const next = from.next.get(code);
    if (next !== undefined) return next;
  }
  return undefined;
}
