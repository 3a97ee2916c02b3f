import { type AST, RegExpParser } from "@eslint-community/regexpp";
import type { Steps } from "../steps.js";

type CharacterTest = (code: number) => boolean;

/** One state of the NFA. The order of successors does not matter, because a match is only a yes or no. */
export type State =
  | { readonly type: "character"; readonly test: CharacterTest; readonly next: number }
  | { readonly type: "fork"; readonly ways: readonly number[] }
  | { readonly type: "assertion"; readonly kind: "start" | "end" | "word" | "not-word"; readonly next: number }
  | { readonly type: "match" };

export interface Program {
  readonly states: readonly State[];
  readonly first: number;
  /** Whether the text is read by code points; else by UTF-16 units. */
  readonly isUnicode: boolean;
}

/** Thrown for a valid pattern that cannot be run in linear time. Its message says why. */
export class NotLinear extends Error {}

/** The limit for all patterns of one schema together. Counted repetitions are expanded, so they take memory. */
const MAX_STATES = 10_000;
const ASCII_SIZE = 128;

/** Engines on npm read `\s`, `.` and large counts differently from JSON Schema; V8's in a worker would need a timeout. */
export class PatternCompiler {
  readonly #parser = new RegExpParser();
  readonly #tests = new Map<string, CharacterTest>();
  #statesLeft = MAX_STATES;

  /** @throws SyntaxError when the pattern is invalid, and NotLinear when it needs backtracking or too many states */
  compile(pattern: string): Program {
    const { ast, isUnicode } = parse(pattern, this.#parser);
    const size = sizeOf(ast);
    if (size > this.#statesLeft) {
      throw new NotLinear(`the patterns of this schema take more than ${MAX_STATES} states`);
    }
    this.#statesLeft -= size;
    const writer = new Writer(isUnicode, this.#tests);
    const match = writer.add({ type: "match" });
    return { first: writer.alternatives(ast.alternatives, match), states: writer.states, isUnicode };
  }
}

/** JSON Schema prescribes the Unicode rules, but many schemas escape characters that these rules do not allow to escape. */
function parse(pattern: string, parser: RegExpParser): { ast: AST.Pattern; isUnicode: boolean } {
  try {
    return { ast: parser.parsePattern(pattern, 0, pattern.length, { unicode: true }), isUnicode: true };
  } catch {
    return { ast: parser.parsePattern(pattern, 0, pattern.length, { unicode: false }), isUnicode: false };
  }
}

/** An upper bound of the states that the node takes, with every repetition expanded. */
function sizeOf(node: AST.Pattern | AST.Alternative | AST.Element): number {
  switch (node.type) {
    case "Pattern":
    case "Group":
    case "CapturingGroup":
      return node.alternatives.reduce((size, each) => size + sizeOf(each), 1);
    case "Alternative":
      return node.elements.reduce((size, each) => size + sizeOf(each), 1);
    case "Quantifier": {
      const count = node.max === Number.POSITIVE_INFINITY ? node.min + 1 : node.max;
      return count * (sizeOf(node.element) + 1);
    }
    default:
      return 1;
  }
}

/** Writes the states from the end to the beginning, so that each knows its successor. */
class Writer {
  readonly states: State[] = [];
  readonly #isUnicode: boolean;
  readonly #tests: Map<string, CharacterTest>;

  constructor(isUnicode: boolean, tests: Map<string, CharacterTest>) {
    this.#isUnicode = isUnicode;
    this.#tests = tests;
  }

  add(state: State): number {
    return this.states.push(state) - 1;
  }

  alternatives(alternatives: readonly AST.Alternative[], next: number): number {
    const ways = alternatives.map(({ elements }) =>
      elements.reduceRight((then, each) => this.#element(each, then), next),
    );
    return ways.length === 1 && ways[0] !== undefined ? ways[0] : this.add({ type: "fork", ways });
  }

  #element(element: AST.Element, next: number): number {
    switch (element.type) {
      case "Character": {
        const { value } = element;
        return this.add({ type: "character", test: (code) => code === value, next });
      }
      case "CharacterClass":
      case "CharacterSet":
        return this.add({ type: "character", test: this.#test(element.raw), next });
      case "CapturingGroup":
        return this.alternatives(element.alternatives, next);
      case "Group":
        if (element.modifiers !== null) throw new NotLinear("it uses inline flags");
        return this.alternatives(element.alternatives, next);
      case "Quantifier":
        return this.#quantifier(element, next);
      case "Assertion":
        return this.add({ type: "assertion", kind: toKind(element), next });
      default:
        throw new NotLinear("it uses a back-reference");
    }
  }

  #quantifier({ element, min, max }: AST.Quantifier, next: number): number {
    let then = next;
    if (max === Number.POSITIVE_INFINITY) {
      const ways = [next];
      then = this.add({ type: "fork", ways });
      ways.push(this.#element(element, then));
    } else {
      for (let count = min; count < max; count++) {
        then = this.add({ type: "fork", ways: [next, this.#element(element, then)] });
      }
    }
    for (let count = 0; count < min; count++) then = this.#element(element, then);
    return then;
  }

  #test(raw: string): CharacterTest {
    const key = `${this.#isUnicode ? "u" : ""}/${raw}`;
    const known = this.#tests.get(key) ?? toCharacterTest(raw, this.#isUnicode);
    this.#tests.set(key, known);
    return known;
  }
}

function toKind(assertion: AST.Assertion): "start" | "end" | "word" | "not-word" {
  switch (assertion.kind) {
    case "start":
    case "end":
      return assertion.kind;
    case "word":
      return assertion.negate ? "not-word" : "word";
    default:
      throw new NotLinear("it uses lookahead or lookbehind");
  }
}

/** Asks JavaScript's own engine about one character at a time, and caches the results for ASCII. */
function toCharacterTest(raw: string, isUnicode: boolean): CharacterTest {
  const one = new RegExp(`^(?:${raw})$`, isUnicode ? "u" : "");
  const ask = (code: number) => one.test(isUnicode ? String.fromCodePoint(code) : String.fromCharCode(code));
  const table = new Int8Array(ASCII_SIZE).fill(-1);
  return (code) => {
    if (code >= ASCII_SIZE) return ask(code);
    if (table[code] === -1) table[code] = ask(code) ? 1 : 0;
    return table[code] === 1;
  };
}

/** Whether the pattern is found. Simulates the NFA, all states at once, so each character visits each state at most once. */
export function isMatch({ states, first, isUnicode }: Program, text: string, steps: Steps): boolean {
  steps.spend(8 + states.length / 8); // for the tables below
  // For each state, the position in the text (from 1) at which it was last entered.
  const enteredAt = new Uint32Array(states.length);
  let current: number[] = [];
  for (let at = 0; ; ) {
    const code = at < text.length ? codeAt(text, at, isUnicode) : undefined;
    const open = [...current, first];
    const reading: (State & { type: "character" })[] = [];
    let looked = 1;
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const state = states[index];
      if (state === undefined || enteredAt[index] === at + 1) continue;
      enteredAt[index] = at + 1;
      looked++;
      if (state.type === "match") return true;
      if (state.type === "character") reading.push(state);
      if (state.type === "fork") {
        looked += state.ways.length;
        for (const way of state.ways) open.push(way);
      }
      if (state.type === "assertion" && passes(state.kind, text, at)) open.push(state.next);
    }
    steps.spend(looked);
    if (code === undefined) return false;
    current = [];
    for (const { test, next } of reading) if (test(code)) current.push(next);
    at += code > 0xffff ? 2 : 1;
  }
}

function codeAt(text: string, at: number, isUnicode: boolean): number | undefined {
  return isUnicode ? text.codePointAt(at) : text.charCodeAt(at);
}

function passes(kind: (State & { type: "assertion" })["kind"], text: string, at: number): boolean {
  switch (kind) {
    case "start":
      return at === 0;
    case "end":
      return at === text.length;
    case "word":
      return isWord(text[at - 1]) !== isWord(text[at]);
    case "not-word":
      return isWord(text[at - 1]) === isWord(text[at]);
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}
