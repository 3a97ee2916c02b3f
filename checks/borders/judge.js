import { findCycles } from "./find-cycles.js";
import { isForTests } from "./find-imports.js";
import { judgePackages, packageOf } from "./packages.js";
import { doorsBetween, roomOf } from "./rooms.js";

/**
 * Sentences about what is wrong with the borders of these files; empty when all follow the table and the package.json files, or are
 * exceptions with a reason.
 *
 * @param {ReturnType<typeof import("./read-table.js").readTable>} table
 * @param {Parameters<typeof judgePackages>[0]} manifests
 * @param {import("./find-imports.js").SourceFile[]} files
 * @param {({ from: string, to: string, reason: string } | { cycle: string[], reason: string })[]} exceptions
 */
export function judgeBorders({ rows, faults }, manifests, files, exceptions) {
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
    ...judgePackages(manifests, published),
    ...judgeImports(rows, published, (from, to) =>
      isExcepted((each) => each.from !== undefined && from.startsWith(each.from) && to.startsWith(each.to)),
    ),
    ...findCycles(published)
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

/** Checks that the table and the tree have the same rooms. */
function judgeRooms(rows, files) {
  const faults = new Set();
  const found = new Set();
  for (const { file } of files) {
    const home = roomOf(file, rows);
    if (home === undefined) faults.add(`${file.split("/").slice(0, 3).join("/")}: no row of the table has this room`);
    else found.add(home.room);
  }
  for (const { location, rooms } of rows) {
    for (const room of rooms) if (!found.has(room)) faults.add(`${location}: there is no room ${room}`);
  }
  return [...faults];
}

function judgeImports(rows, files, isExcepted) {
  const faults = [];
  const used = new Set();
  const indexes = new Set(files.map(({ file }) => file).filter((file) => file.endsWith("/index.ts")));
  for (const { file, imports } of files) {
    const home = roomOf(file, rows);
    if (home === undefined) continue;
    for (const each of imports) {
      const fault = judgeImport(home, file, each, rows, indexes, used);
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
    for (const door of doors.filter((each) => !used.has(`${location} ${each}`))) {
      faults.push(`${location}: nothing uses the door ${door}: take it out of the row`);
    }
  }
  return faults;
}

/** Between packages their package.json files decide; inside one, the row of the room that imports, and then the doors on the way. */
function judgeImport({ path, row, room }, file, { to, isType }, rows, indexes, used) {
  if (isForTests(to)) return "which is for tests";
  if (packageOf(to) !== packageOf(file)) return undefined;
  const target = roomOf(to, rows);
  if (target === undefined) return undefined;
  if (target.path !== path) {
    if (target.room === room) return `but ${target.path} is a sibling: what both need belongs in a room under them`;
    const allowances = row.allowances.filter(
      (allowance) => allowance.path === target.room || allowance.path === target.path,
    );
    const enough = allowances.filter((allowance) => isType || !allowance.isTypesOnly);
    for (const allowance of enough) used.add(allowance);
    if (enough.length === 0) {
      if (allowances.length > 0) return `of which ${path} may import types alone (${row.location})`;
      return `but the row of ${path} does not allow ${target.path} (${row.location})`;
    }
  }
  for (const folder of doorsBetween(file, to, indexes)) {
    if (to === `${folder}index.ts`) continue;
    const door = target.row.doors.find((name) => to === folder + name);
    if (door === undefined) return `past the door ${folder}index.ts`;
    used.add(`${target.row.location} ${door}`);
  }
  return undefined;
}
