import type { Steps } from "../steps.js";
import type { Program, State } from "./program.js";

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
