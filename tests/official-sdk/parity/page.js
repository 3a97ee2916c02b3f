// Reads the tables of docs/protocol/parity.md: what differs and why, and what is not compared.
import { readFileSync } from "node:fs";

const page = new URL("../../../docs/protocol/parity.md", import.meta.url);
const ABSENT = "—";

export function readPage() {
  const text = readFileSync(page, "utf8");
  return {
    rows: tableRows(text, "Path", 4).map(([path, theirs, ours, reason]) => ({
      text: path,
      path: onePattern(path),
      theirs: patterns(theirs),
      ours: patterns(ours),
      reason,
    })),
    leftOut: tableRows(text, "Not compared", 2).map(([path, reason]) => ({
      text: path,
      path: onePattern(path),
      reason,
    })),
  };
}

/** The rows of all tables whose first column has this title. */
function tableRows(text, title, columns) {
  const rows = [];
  let isInside = false;
  for (const line of text.split("\n")) {
    const cells = line.startsWith("|")
      ? line
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim())
      : [];
    if (cells[0] === title) isInside = true;
    else if (cells.length === 0) isInside = false;
    else if (isInside && !cells[0].startsWith("---")) {
      if (cells.length !== columns || cells.at(-1) === "")
        throw new Error(`parity.md: this row has no ${columns} cells, or no reason: ${line}`);
      rows.push(cells);
    }
  }
  if (rows.length === 0) throw new Error(`parity.md has no table whose first column is "${title}"`);
  return rows;
}

function onePattern(cell) {
  const [pattern, ...others] = patterns(cell);
  if (pattern === undefined || others.length > 0) throw new Error(`parity.md: one path in backticks, not ${cell}`);
  return pattern;
}

/** Values in backticks, `*` for anything; a dash for a field that is not sent. */
function patterns(cell) {
  const values = [...cell.matchAll(/`([^`]+)`/g)].map(([code, value]) => {
    const source = value.split("*").map(escaped).join(".*");
    const pattern = new RegExp(`^${source}$`, "s");
    return { text: code, test: (actual) => actual !== undefined && pattern.test(actual) };
  });
  const absent = { text: ABSENT, test: (actual) => actual === undefined };
  const all = cell.includes(ABSENT) ? [...values, absent] : values;
  if (all.length === 0) throw new Error(`parity.md: neither a value in backticks nor ${ABSENT} in ${cell}`);
  return all;
}

function escaped(text) {
  return text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
}
