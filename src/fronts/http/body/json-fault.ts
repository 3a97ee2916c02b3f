/** Where a text stops being JSON. */
export interface JsonFault {
  offset: number;
  line: number;
  column: number;
  /** True when nothing is wrong but the end that came too early. */
  isCut: boolean;
}

/** Deeper than any request; what is beyond is not worth the memory of a stack. */
const MAX_DEPTH = 10_000;
const literals = ["true", "false", "null"];

/**
 * Finds the first fault of a text that `JSON.parse` has refused. Its own message tells the position only sometimes, and
 * quotes the text, which may be a prompt.
 */
export function findJsonFault(text: string): JsonFault {
  const offset = Math.min(new Scanner(text).run(), text.length);
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  return { offset, line, column: offset - lineStart + 1, isCut: offset === text.length };
}

type State = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end";

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

class Scanner {
  readonly #text: string;
  /** Of the containers that are open: whether each is an object. */
  readonly #open: boolean[] = [];
  #at = 0;
  #state: State = "value";

  constructor(text: string) {
    this.#text = text;
  }

  /** The offset of the fault; the length of the text when it is only cut. */
  run(): number {
    for (;;) {
      this.#skip(isBlank);
      const isDone = this.#state === "comma-or-end" && this.#open.length === 0;
      if (isDone || this.#at >= this.#text.length || !this.#step(this.#text[this.#at] ?? "")) return this.#at;
    }
  }

  #step(char: string): boolean {
    switch (this.#state) {
      case "value-or-end":
        return char === "]" ? this.#close() : this.#value(char);
      case "value":
        return this.#value(char);
      case "key-or-end":
        return char === "}" ? this.#close() : this.#key(char);
      case "key":
        return this.#key(char);
      case "colon":
        return char === ":" && this.#advance("value");
      case "comma-or-end": {
        const isObject = this.#open.at(-1);
        if (char === ",") return this.#advance(isObject ? "key" : "value");
        return char === (isObject ? "}" : "]") && this.#close();
      }
    }
  }

  #advance(state: State, by = 1): true {
    this.#at += by;
    this.#state = state;
    return true;
  }

  #close(): true {
    this.#open.pop();
    return this.#advance("comma-or-end");
  }

  #key(char: string): boolean {
    return char === '"' && this.#string() && this.#advance("colon", 0);
  }

  #value(char: string): boolean {
    if (char === "{" || char === "[") {
      if (this.#open.push(char === "{") > MAX_DEPTH) return false;
      return this.#advance(char === "{" ? "key-or-end" : "value-or-end");
    }
    if (char === '"') return this.#string() && this.#advance("comma-or-end", 0);
    const literal = literals.find((word) => word[0] === char);
    if (literal !== undefined) return this.#literal(literal);
    return this.#number();
  }

  #number(): boolean {
    this.#take("-");
    if (!this.#take("0") && !this.#digits()) return false;
    if (this.#take(".") && !this.#digits()) return false;
    if (this.#take("eE")) {
      this.#take("+-");
      if (!this.#digits()) return false;
    }
    return this.#advance("comma-or-end", 0);
  }

  #digits(): boolean {
    const start = this.#at;
    this.#skip(isDigit);
    return this.#at > start;
  }

  /** A run may be as long as the text, so no character of it becomes a string of its own. */
  #skip(isOfRun: (code: number) => boolean): void {
    while (isOfRun(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  #take(any: string): boolean {
    const char = this.#text[this.#at];
    if (char === undefined || !any.includes(char)) return false;
    this.#at++;
    return true;
  }

  #literal(word: string): boolean {
    for (const char of word) if (!this.#take(char)) return false;
    return this.#advance("comma-or-end", 0);
  }

  /** Stands behind the closing quote, or at the fault. */
  #string(): boolean {
    this.#at++;
    while (this.#at < this.#text.length) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) return this.#advance(this.#state);
      if (code < 0x20) return false;
      if (code !== 0x5c) this.#at++;
      else if (!this.#escape()) return false;
    }
    return false;
  }

  #escape(): boolean {
    this.#at++;
    if (!this.#take("u")) return this.#take('"\\/bfnrt');
    for (let digit = 0; digit < 4; digit++) if (!this.#take("0123456789abcdefABCDEF")) return false;
    return true;
  }
}
