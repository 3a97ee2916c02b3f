import { type Batch, rewriteBatch, type Step, type TurnEvent, toText } from "../../turn/event.js";

interface Node {
  readonly depth: number;
  readonly next: Map<number, Node>;
  /** The node of the longest suffix of this path that also begins a sequence. */
  fallback: Node | undefined;
  ended: string | undefined;
}

interface Match {
  readonly start: number;
  readonly sequence: string;
}

/** Finds the first of several sequences in a text that comes in pieces, each character read once (Aho and Corasick, 1975). */
class StopMatcher {
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

/** Ends a reply, or only its text while `isCallDue`, before the first sequence. What may begin one is held back until that is decided. */
export class StopSequences implements Step {
  readonly #matcher: StopMatcher;
  #held = "";
  #found: string | undefined;
  #isDone = false;
  /** Whether the reply continues after the sequence, without text. */
  #isTextOver = false;
  readonly #isCallDue: () => boolean;

  constructor(sequences: readonly string[], isCallDue: () => boolean = () => false) {
    this.#isCallDue = isCallDue;
    this.#matcher = new StopMatcher(sequences);
  }

  /** Whether a sequence has come. Its batch is the last. */
  get hasEnded(): boolean {
    return this.#found !== undefined && !this.#isTextOver;
  }

  push(batch: Batch): Batch {
    if (this.#isDone && !this.#isTextOver) return batch;
    const passed = rewriteBatch(batch, this.#rewritten);
    if (this.#found === undefined || this.#isTextOver) return passed;
    return [...passed, { type: "finish", reason: "stop", stopSequence: this.#found }];
  }

  end(): Batch {
    if (this.#found !== undefined) return [];
    const origin = this.#matcher.read - this.#held.length;
    const match = this.#matcher.end();
    this.#find(match?.sequence);
    const passed = match === undefined ? this.#held : this.#held.slice(0, match.start - origin);
    this.#held = "";
    return toText(passed);
  }

  readonly #rewritten = (event: TurnEvent): Batch | "keep" => {
    if (this.#isTextOver) return event.type === "text" ? [] : "keep";
    // If the turn ended in the rest of the batch, its usage is known, so it is kept.
    if (this.#found !== undefined) return event.type === "usage" ? "keep" : [];
    if (this.#isDone) return "keep";
    switch (event.type) {
      case "text":
        return this.#text(event.delta);
      case "usage":
      case "checkpoint":
        return "keep";
      case "call":
        // A reply with a call ends at its calls. Ending it elsewhere would leave them without a run.
        this.#isDone = event.runs === "client";
        return this.#afterHeld(event);
      default:
        return this.#afterHeld(event);
    }
  };

  #text(delta: string): Batch | "keep" {
    const all = this.#held + delta;
    const origin = this.#matcher.read - this.#held.length;
    const match = this.#matcher.push(delta);
    this.#find(match?.sequence);
    const end = match === undefined ? all.length - this.#matcher.undecided : match.start - origin;
    const isUnchanged = this.#held === "" && end === delta.length;
    this.#held = all.slice(end);
    return isUnchanged ? "keep" : toText(all.slice(0, end));
  }

  #afterHeld(event: TurnEvent): Batch | "keep" {
    if (this.#held === "") return "keep";
    const held = this.end();
    return this.hasEnded ? held : [...held, event];
  }

  #find(sequence: string | undefined): void {
    this.#found = sequence;
    this.#isTextOver = sequence !== undefined && this.#isCallDue();
  }
}
