import { toTransitions } from "./transitions.js";

/**
 * Why a backtracking matcher may need more than linear time for this expression, or undefined when it never does.
 *
 * Its time is the number of ways in which it can read some prefix of a text. That number grows with the text exactly when one
 * state leads back to itself by two ways over the same text (then it doubles), or when two loops can both read the same text and
 * the first leads to the second over it (then one may hand over to the other at each position of the text). A second loop in which
 * the match is complete does no harm: the matcher has succeeded there and never backtracks.
 */
export function findOverlap(source, flags) {
  const { chars, steps, isMatch } = toTransitions(source, flags);
  const reaches = steps.map((_, from) => reachable(steps, from));
  const loops = steps.flatMap((_, state) => (reaches[state].has(state) ? [state] : []));
  for (const state of loops)
    if (isDoubled(state, chars, steps, reaches)) return "one loop reads the same text in two ways";
  for (const first of loops) {
    for (const second of loops) {
      if (first === second || isMatch[second] || !reaches[first].has(second)) continue;
      if (handsOver(first, second, chars, steps, reaches))
        return "two loops, or a loop and the search for a beginning, read the same text";
    }
  }
  return undefined;
}

function reachable(steps, from) {
  const seen = new Set();
  const open = [from];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const next of steps[state]) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return seen;
}

/** Whether the state leads back to itself by two different ways over the same text. */
function isDoubled(state, chars, steps, reaches) {
  const inLoop = (next) => reaches[state].has(next) && reaches[next].has(state);
  const key = (a, b, isApart) => `${a},${b},${isApart}`;
  const open = [[state, state, false]];
  const seen = new Set();
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [a, b, wasApart] = pair;
    for (const [i, nextA] of steps[a].entries()) {
      if (!inLoop(nextA)) continue;
      for (const [j, nextB] of steps[b].entries()) {
        if (!inLoop(nextB) || (chars[nextA] & chars[nextB]) === 0n) continue;
        // Two steps between the same two states count as two ways.
        const isApart = wasApart || nextA !== nextB || (a === b && i !== j);
        if (isApart && nextA === state && nextB === state) return true;
        const seenKey = key(nextA, nextB, isApart);
        if (seen.has(seenKey)) continue;
        seen.add(seenKey);
        open.push([nextA, nextB, isApart]);
      }
    }
  }
  return false;
}

/** Whether some text leads from the first to itself, from the first to the second, and from the second to itself. */
function handsOver(first, second, chars, steps, reaches) {
  const staysIn = (loop, next) => reaches[loop].has(next) && reaches[next].has(loop);
  const onTheWay = (next) => next === second || reaches[next].has(second);
  const open = [[first, first, second]];
  const seen = new Set();
  for (let triple = open.pop(); triple !== undefined; triple = open.pop()) {
    const [a, b, c] = triple;
    for (const nextA of steps[a]) {
      if (!staysIn(first, nextA)) continue;
      for (const nextC of steps[c]) {
        const both = chars[nextA] & chars[nextC];
        if (both === 0n || !staysIn(second, nextC)) continue;
        for (const nextB of steps[b]) {
          if ((both & chars[nextB]) === 0n || !onTheWay(nextB)) continue;
          if (nextA === first && nextB === second && nextC === second) return true;
          const key = `${nextA},${nextB},${nextC}`;
          if (seen.has(key)) continue;
          seen.add(key);
          open.push([nextA, nextB, nextC]);
        }
      }
    }
  }
  return false;
}
