import { parseJson } from "../turn/read-json.js";
import { isAdmitted, type LedgerEntry, type Tokens } from "./entry.js";
import { JsonBytes } from "./json-bytes.js";
import { numberOf } from "./read-entry.js";
import type { View } from "./view.js";

type ThreadSums = { -readonly [Name in keyof Tokens]: number } & {
  requests: number;
  unadmitted: number;
};

/** The sums of threads that change in one transaction. Each row is read once and written once. */
export class ChangedThreads {
  readonly #view: View;
  readonly #threads = new Map<string, ThreadSums>();

  constructor(view: View) {
    this.#view = view;
  }

  add(entry: LedgerEntry, sign: 1 | -1): void {
    const { thread, tokens } = entry;
    if (thread === null) return;
    const sums = this.#of(thread);
    sums.requests += sign;
    if (!isAdmitted(entry)) sums.unadmitted += sign;
    if (tokens !== null) addTokens(sums, tokens, sign);
  }

  addTokens({ thread }: LedgerEntry, tokens: Tokens): void {
    if (thread !== null) addTokens(this.#of(thread), tokens, 1);
  }

  /** Writes the sums into the view. */
  finish(): void {
    if (this.#threads.size === 0) return;
    const json = new JsonBytes();
    // Unlike a loop, this makes no object for each row.
    this.#threads.forEach((sums, thread) => {
      if (sums.requests > 0) this.#view.put("threads", thread, bytesOf(json, sums));
      else this.#view.remove("threads", thread);
    });
  }

  #of(thread: string): ThreadSums {
    const known = this.#threads.get(thread);
    if (known !== undefined) return known;
    const sums = readThread(this.#view, thread) ?? {
      requests: 0,
      unadmitted: 0,
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      reasoning: 0,
    };
    this.#threads.set(thread, sums);
    return sums;
  }
}

/** Undefined for a thread that is not known. */
export function readThread(view: View, thread: string): ThreadSums | undefined {
  const text = view.get("threads", thread);
  const list = text === undefined ? undefined : parseJson(text);
  if (!Array.isArray(list)) return undefined;
  return {
    requests: numberOf(list[0]),
    input: numberOf(list[1]),
    output: numberOf(list[2]),
    cacheRead: numberOf(list[3]),
    cacheWrite: numberOf(list[4]),
    reasoning: numberOf(list[5]),
    unadmitted: numberOf(list[6]),
  };
}

function addTokens(sums: ThreadSums, tokens: Tokens, sign: 1 | -1): void {
  sums.input += sign * tokens.input;
  sums.output += sign * tokens.output;
  sums.cacheRead += sign * tokens.cacheRead;
  sums.cacheWrite += sign * tokens.cacheWrite;
  sums.reasoning += sign * tokens.reasoning;
}

function bytesOf(json: JsonBytes, sums: ThreadSums): Buffer {
  json.clear();
  json.beginDocument();
  json.number(sums.requests);
  json.number(sums.input);
  json.number(sums.output);
  json.number(sums.cacheRead);
  json.number(sums.cacheWrite);
  json.number(sums.reasoning);
  json.number(sums.unadmitted);
  json.endList();
  return json.copy(0, json.length);
}
