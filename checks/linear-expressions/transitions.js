import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

/** More than any expression of ours has. Larger expressions are not analysed. */
const MAX_POSITIONS = 2_000;
const MAX_WAYS = 200_000;
/** Beyond this, linear time would have too large a factor. */
const MAX_COMBINATIONS = 10_000;
/** The line ends of `.`, `^` and `$`. */
const LINE_ENDS = "\n\r\u2028\u2029";
/** Samples beyond Latin that classes may distinguish: blanks, letters whose case folds to ASCII, a letter and a picture. */
const FAR = "\u1680\u2003\u2028\u2029\u202f\u3000\ufeff\u017f\u212a\u0416\u4e2d\u{1f426}";

/** Thrown for an expression that cannot be analysed. Its message says why. */
export class NotAnalysed extends Error {}

/**
 * The expression as states and the steps between them. A state is "this character of the expression was just read", and a step
 * is one way of a backtracking matcher from there to the next character; two ways between the same states are two steps. Assertions
 * (`\b`, `$`, a look-around) are assumed to hold, so that there are never fewer ways here than in the matcher.
 *
 * Two states stand for the search itself, which begins anew at each character: one after a line end, one after anything else.
 *
 * @returns {{ chars: bigint[], steps: number[][], isMatch: boolean[] }} of each state: the characters that lead into it, as bits
 *   over a sample alphabet; the states it leads to; whether the match is complete there, whatever follows.
 */
export function toTransitions(source, flags) {
  const { pattern, flags: parsed } = parse(source, flags);
  if (combinationsOf(pattern) > MAX_COMBINATIONS) throw new NotAnalysed("its counted parts combine in too many ways");
  const alphabet = alphabetOf(pattern);
  const states = new States(charactersOf(alphabet, parsed));
  const search = states.addChars(~states.bitsOf((char) => LINE_ENDS.includes(char)) & states.all);
  const lineStart = states.addChars(states.bitsOf((char) => LINE_ENDS.includes(char)));
  const end = { type: "end" };
  const first = states.build(pattern.alternatives, end);
  const steps = states.list.map(() => []);
  const isMatch = states.list.map(() => false);
  const connect = (from, node, sees) => {
    for (const way of waysFrom(node, sees)) {
      if (way.to === end) isMatch[from] ||= !way.isConditional;
      else steps[from].push(way.to.state);
    }
  };
  for (const [at, state] of states.list.entries())
    if (state.next !== undefined) connect(at, state.next, { start: true });
  // The very first position of the text is left out, because it is visited only once.
  connect(search, first, { start: false });
  connect(lineStart, first, { start: parsed.multiline });
  for (const from of [search, lineStart]) steps[from].push(search, lineStart);
  // When every alternative begins with ^, a match can begin at one position only, which is neither of the two.
  const start = states.list.length;
  steps.push([]);
  isMatch.push(false);
  connect(start, first, { start: true });
  return { chars: [...states.list.map((state) => state.chars), 0n], steps, isMatch };
}

function parse(source, flags) {
  try {
    return new RegExpParser().parseLiteral(`/${source}/${flags}`);
  } catch (thrown) {
    throw new NotAnalysed(`it cannot be parsed: ${thrown.message}`);
  }
}

class States {
  list = [];
  #characters;
  all;

  constructor(characters) {
    this.#characters = characters;
    this.all = characters.all;
  }

  bitsOf(test) {
    return this.#characters.where(test);
  }

  addChars(chars, next) {
    if (this.list.length >= MAX_POSITIONS) throw new NotAnalysed("it is too large");
    return this.list.push({ chars, next }) - 1;
  }

  /** A node from which the alternatives lead on to `next`. */
  build(alternatives, next) {
    return { type: "choice", options: alternatives.map((each) => this.#sequence(each.elements, next)) };
  }

  #sequence(elements, next) {
    return elements.reduceRight((behind, element) => this.#element(element, behind), next);
  }

  #element(element, next) {
    switch (element.type) {
      case "Character":
      case "CharacterClass":
      case "CharacterSet":
        return { type: "char", state: this.addChars(this.#characters.of(element), next) };
      case "Group":
      case "CapturingGroup":
        return this.build(element.alternatives, next);
      case "Quantifier":
        return this.#quantifier(element, next);
      case "Assertion":
        if (element.kind === "lookahead" || element.kind === "lookbehind") requireBounded(element);
        return { type: "assertion", isStart: element.kind === "start", next };
      default:
        throw new NotAnalysed(`it has a ${element.type}`);
    }
  }

  #quantifier({ element, min, max }, next) {
    let node = next;
    if (max === Number.POSITIVE_INFINITY) {
      node = { type: "loop", next, body: undefined };
      node.body = this.#element(element, node);
    } else {
      for (let count = min; count < max; count++) {
        node = { type: "choice", options: [next, this.#element(element, node)] };
      }
    }
    for (let count = 0; count < min; count++) node = this.#element(element, node);
    return node;
  }
}

/** An assertion is tried at every position, so its length must be bounded. */
function requireBounded(assertion) {
  visitRegExpAST(assertion, {
    onQuantifierEnter({ max }) {
      if (max === Number.POSITIVE_INFINITY) throw new NotAnalysed("a look-around may look at any amount of text");
    },
  });
}

/** An upper bound of the ways in which counted and optional parts can be combined. Loops are checked elsewhere. */
function combinationsOf({ type, alternatives, elements, element, min, max }) {
  switch (type) {
    case "Pattern":
    case "Group":
    case "CapturingGroup":
      return alternatives.reduce((sum, each) => sum + combinationsOf(each), 0);
    case "Alternative":
      return elements.reduce((product, each) => product * combinationsOf(each), 1);
    case "Quantifier": {
      const most = max === Number.POSITIVE_INFINITY ? min : max;
      return (most - min + 1) * combinationsOf(element) ** Math.max(1, most);
    }
    default:
      return 1;
  }
}

/** All ways to the next character, or to the end. */
function waysFrom(node, { start }) {
  const ways = [];
  let looked = 0;
  const follow = (here, isConditional, rounds) => {
    if (++looked > MAX_WAYS) throw new NotAnalysed("it has too many ways that read nothing");
    switch (here.type) {
      case "char":
      case "end":
        ways.push({ to: here, isConditional });
        break;
      case "assertion":
        if (!here.isStart || start) follow(here.next, true, rounds);
        break;
      case "choice":
        for (const option of here.options) follow(option, isConditional, rounds);
        break;
      case "loop":
        // By the rules of JavaScript, a round of a loop that has read nothing is abandoned.
        if (rounds.includes(here)) break;
        follow(here.body, isConditional, [...rounds, here]);
        follow(here.next, isConditional, rounds);
    }
  };
  follow(node, false, []);
  return ways;
}

/** Latin characters, the borders of the expression's classes, and a few distant samples. */
function alphabetOf(pattern) {
  const codes = new Set(Array.from({ length: 0x180 }, (_, code) => code));
  for (const char of FAR) codes.add(char.codePointAt(0));
  const around = (code) => {
    for (const each of [code - 1, code, code + 1]) if (each >= 0 && each <= 0x10ffff) codes.add(each);
  };
  visitRegExpAST(pattern, {
    onCharacterEnter: ({ value }) => around(value),
    onCharacterClassRangeEnter: ({ min, max }) => [min.value, max.value].forEach(around),
  });
  return [...codes].map((code) => String.fromCodePoint(code));
}

/** Sets of characters as bits. JavaScript's own engine decides which characters are in a class. */
function charactersOf(alphabet, { ignoreCase, unicode, unicodeSets, dotAll }) {
  const flags = `${ignoreCase ? "i" : ""}${unicodeSets ? "v" : "u"}${dotAll ? "s" : ""}`;
  const plain = flags.replace(/[uv]/, "");
  const where = (test) => alphabet.reduce((bits, char, at) => (test(char) ? bits | (1n << BigInt(at)) : bits), 0n);
  const known = new Map();
  const of = (element) => {
    const key = element.raw;
    const bits = known.get(key) ?? where((char) => matcherOf(key, unicode || unicodeSets ? flags : plain).test(char));
    known.set(key, bits);
    return bits;
  };
  return { all: (1n << BigInt(alphabet.length)) - 1n, where, of };
}

function matcherOf(raw, flags) {
  return new RegExp(`^(?:${raw})$`, flags);
}
