// Single-line changes that a good test would notice. They are chosen by a seed, and kept in changes.json: their count must not depend
// on who counts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const SEED = 2_806_2026;

/** The parts with their rooms, how many changes each gets, and the whole-system tests that judge them beside the tests in their rooms. */
export const parts = {
  gateway: {
    rooms: ["packages/gateway/core"],
    count: 25,
    tests: [
      "continuity",
      "tool-calls",
      "steering",
      "partial-results",
      "structured-output",
      "empty-resumes",
      "stale-tools",
    ],
  },
  sessions: {
    rooms: ["packages/gateway/core/sessions"],
    count: 15,
    tests: ["continuity", "parked-runs", "partial-results", "interrupted-turns", "changing-settings", "tool-calls"],
  },
  store: { rooms: ["packages/gateway/store"], count: 15, tests: ["continuity", "parked-runs", "full-store"] },
  ledger: {
    rooms: ["packages/meter/ledger"],
    count: 15,
    tests: ["request-events", "spend-limits", "page-api", "verdict"],
  },
  spend: { rooms: ["packages/meter/spend"], count: 10, tests: ["spend-limits", "limits-of-agents", "verdict"] },
  agent: {
    rooms: ["packages/gateway/backends/agent"],
    count: 20,
    tests: ["tool-calls", "tool-quirks", "continuity", "dynamic-tools", "live-behaviour/failures", "transport"],
  },
};

/** What is replaced in a line, and by what. */
const operators = [
  [/ === /, " !== "],
  [/ !== /, " === "],
  [/ < /, " <= "],
  [/ > /, " >= "],
  [/ <= /, " < "],
  [/ >= /, " > "],
  [/ && /, " || "],
  [/ \|\| /, " && "],
  [/ \+ /, " - "],
  [/ - /, " + "],
  [/\btrue\b/, "false"],
  [/\bfalse\b/, "true"],
  [/^(?:await |void )?(?:this\.)?#?\w+(?:\.#?\w+)*\([^=]*\);$/, ";"],
  [/^continue;$/, ";"],
];

/** Comments, imports and types do not run. */
const isCode = (line) => !/^(\/[/*]|\*|import |export (type|interface|\{)|readonly |type |\|)/.test(line);

/** Every change that could be made in a part, in an order that does not change. */
function candidatesIn(root, { rooms }) {
  return rooms
    .flatMap((room) => filesIn(root, room))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((text) => {
        const line = text.trim();
        if (!isCode(line)) return [];
        const all = [...operators.map(([from, to]) => line.replace(from, to)), negateCondition(line)];
        return all.filter((changed) => changed !== line).map((changed) => ({ file, line, changed }));
      });
    });
}

/** A condition that ends in its own line means the opposite. */
function negateCondition(line) {
  const start = line.search(/\bif \(/) + "if ".length;
  if (start < "if ".length) return line;
  let depth = 0;
  for (let end = start; end < line.length; end++) {
    if (line[end] === "(") depth++;
    if (line[end] === ")") depth--;
    if (depth === 0) return `${line.slice(0, start)}(!${line.slice(start, end + 1)})${line.slice(end + 1)}`;
  }
  return line;
}

/** The kept changes that can still be made, and new ones in place of the others. */
export function renew(root, kept) {
  return Object.entries(parts).flatMap(([part, { count }]) => {
    const candidates = candidatesIn(root, parts[part]);
    const chosen = kept.filter((change) => change.part === part).flatMap((change) => locate(change, candidates) ?? []);
    const random = generator(`${SEED} ${part} ${chosen.length}`);
    while (chosen.length < count && candidates.length > 0) {
      const [candidate] = candidates.splice(Math.floor(random() * candidates.length), 1);
      const isTaken = chosen.some(({ file, line }) => file === candidate.file && line === candidate.line);
      // A line that occurs more than once would be ambiguous.
      const isUnique = candidates.every((other) => !isSame(other, candidate));
      if (!isTaken && isUnique) chosen.push({ part, ...candidate });
    }
    return chosen;
  });
}

function isSame(one, other) {
  return one.file === other.file && one.line === other.line && one.changed === other.changed;
}

/** A change whose line has moved to another file of its part is the same change. */
function locate(change, candidates) {
  const same = candidates.filter(({ line, changed }) => line === change.line && changed === change.changed);
  const here = same.filter(({ file }) => file === change.file);
  const [found, ...others] = here.length > 0 ? here : same;
  return found === undefined || others.length > 0 ? undefined : { ...change, file: found.file };
}

function filesIn(root, room) {
  return readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|js)$/.test(name) && !/\.(test|cases)\./.test(name))
    .sort()
    .map((name) => `${room}/${name}`);
}

/** Numbers from 0 to 1 that are the same for the same text (mulberry32). */
function generator(text) {
  let state = [...text].reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
