import { findCycles } from "./find-cycles.js";
import { isForTests } from "./find-imports.js";
import { doorsBetween, folderOf, isAbout, roomOf, siblingsAround } from "./rooms.js";

/**
 * Sentences about what is wrong with the borders of these files; empty when all follow the table or are exceptions with a reason.
 *
 * @param {ReturnType<typeof import("./read-table.js").readTable>} table
 * @param {import("./find-imports.js").SourceFile[]} files
 * @param {({ from: string, to: string, reason: string } | { cycle: string[], reason: string })[]} exceptions
 */
export function judgeBorders({ rows, faults }, files, exceptions) {
  const published = files.filter(({ file }) => !isForTests(file));
  const used = new Set();
  const isExcepted = (fits) => {
    const fitting = exceptions.filter(fits);
    for (const each of fitting) used.add(each);
    return fitting.length > 0;
  };
  return [
    ...faults,
    ...judgeRooms(rows, published),
    ...judgeImports(rows, published, (from, to) =>
      isExcepted((each) => each.from !== undefined && from.startsWith(each.from) && to.startsWith(each.to)),
    ),
    ...findCycles(published, (file) => roomOf(file, rows)?.path === file)
      .filter(({ members }) => !isExcepted((each) => each.cycle?.toSorted().join() === members.join()))
      .map(({ members, loop }) =>
        [`${members.join(", ")}: a cycle of imports (types count too)`, ...loop].join("\n  "),
      ),
    ...exceptions.flatMap((each) => judgeException(each, used.has(each))),
  ];
}

function judgeException({ from, to, cycle, reason }, isUsed) {
  const name = cycle === undefined ? `${from} -> ${to}` : `the cycle of ${cycle.join(", ")}`;
  if (!isUsed) return [`checks/borders/exceptions.js: ${name} is excepted without need: take it out of the list`];
  return reason.trim() === "" ? [`checks/borders/exceptions.js: ${name} is excepted without a reason`] : [];
}

/** Checks that the table and the tree have the same rooms and the same doors. */
function judgeRooms(rows, files) {
  const faults = new Set();
  const found = new Set();
  for (const { file } of files) {
    const home = roomOf(file, rows);
    if (home === undefined) {
      const name = file.split("/").length === 2 ? file : folderOf(file);
      faults.add(`${name}: this room is missing from the table of rooms`);
      continue;
    }
    found.add(home.room);
    const isIndex = file === `${home.path}index.ts`;
    if (isIndex && home.row.doors.length === 0) {
      faults.add(`${home.row.location}: ${home.path} has an index.ts: mark it with "(door)", or take the file away`);
    }
    if (home.row.doors.length > 0 && !files.some((each) => each.file === `${home.path}index.ts`)) {
      faults.add(`${home.row.location}: ${home.path} has no index.ts that could be its door`);
    }
  }
  for (const { location, rooms } of rows) {
    for (const room of rooms) if (!found.has(room)) faults.add(`${location}: there is no room ${room.path}`);
  }
  return [...faults];
}

function judgeImports(rows, files, isExcepted) {
  const faults = [];
  const used = new Set();
  for (const { file, imports } of files) {
    const home = roomOf(file, rows);
    if (home === undefined) continue;
    for (const each of imports) {
      const fault = judgeImport(home, file, each, rows, used);
      if (fault !== undefined && !isExcepted(file, each.to))
        faults.push(`${file}:${each.line} imports ${each.to}\n  ${fault}`);
    }
  }
  for (const { location, allowances, doors } of rows) {
    for (const allowance of allowances.filter((each) => !used.has(each))) {
      faults.push(
        `${location}: the row allows ${allowance.words}, which nothing there imports: take it out of the row`,
      );
    }
    for (const door of doors.slice(1).filter((each) => !used.has(`${location} ${each}`))) {
      faults.push(`${location}: nothing uses the door ${door}: take it out of the row`);
    }
  }
  return faults;
}

function judgeImport({ path, row, names }, file, { to, isType }, rows, used) {
  if (isForTests(to)) return "which is for tests";
  const target = roomOf(to, rows);
  if (target?.path === path) return undefined;
  const siblings = siblingsAround(file, to, rows);
  if (siblings !== undefined) {
    const { mine, theirs } = siblings;
    const { location } = roomOf(`${mine}index.ts`, rows).row;
    return `but ${theirs} is a sibling of ${mine}: what both need belongs in a room under them (${location})`;
  }
  const allowances = row.allowances.filter((allowance) => isAbout(allowance, to, target, names));
  const enough = allowances.filter((allowance) => isType || !allowance.isTypesOnly);
  for (const allowance of enough) used.add(allowance);
  if (enough.length === 0) {
    if (allowances.length > 0) return `of which ${path} may import types alone (${row.location})`;
    return `but the row of ${path} does not allow ${target?.path ?? to} (${row.location})`;
  }
  for (const { folder, row } of doorsBetween(file, to, rows)) {
    const door = row.doors.find((each) => to === folder + each);
    if (door === undefined) return `past the door ${folder}index.ts (${row.location})`;
    used.add(`${row.location} ${door}`);
  }
  return undefined;
}
