import { posix } from "node:path";
import { matchPattern } from "./read-table.js";

/** The folder of a file, with the trailing slash that folders have in the table. */
export function folderOf(file) {
  return `${posix.dirname(file)}/`;
}

/**
 * The room of a file: its own row if the table names the file, else the row of its folder. A row with the plain name of a folder
 * goes before a pattern.
 *
 * @param {import("./read-table.js").Row[]} rows
 * @returns its path as the table would write it, its row, and the pattern in that row with the folders of its `<names>`
 */
export function roomOf(file, rows) {
  for (const path of [file, folderOf(file)]) {
    const found = rows
      .flatMap((row) => row.rooms.map((room) => ({ path, room, row, names: matchPattern(room.path, path) })))
      .filter(({ names }) => names !== undefined)
      .toSorted((one, other) => Object.keys(one.names).length - Object.keys(other.names).length);
    if (found[0] !== undefined) return found[0];
  }
  return undefined;
}

/** The rooms with doors between one file and another, the outermost first. */
export function doorsBetween(from, to, rows) {
  const parts = folderOf(to).split("/").slice(0, -1);
  return parts
    .map((_, index) => `${parts.slice(0, index + 1).join("/")}/`)
    .filter((folder) => !from.startsWith(folder))
    .map((folder) => ({ folder, row: roomOf(`${folder}index.ts`, rows)?.row }))
    .filter(({ row }) => row !== undefined && row.doors.length > 0);
}

/**
 * The two sibling folders that contain these files: they have the same parent, each contains one file, and one pattern covers both.
 */
export function siblingsAround(from, to, rows) {
  const one = posix.dirname(from).split("/");
  const other = posix.dirname(to).split("/");
  const fork = one.findIndex((part, index) => part !== other[index]);
  if (fork < 0) return undefined;
  const [mine, theirs] = [one, other].map((parts) => `${parts.slice(0, fork + 1).join("/")}/`);
  const pattern = roomOf(`${mine}index.ts`, rows)?.room;
  const isShared = pattern?.path.includes("<") && pattern === roomOf(`${theirs}index.ts`, rows)?.room;
  return isShared ? { mine, theirs } : undefined;
}

/** Whether an entry of "May import" covers this file. A `<name>` that the room's own path binds means the same folder here. */
export function isAbout(allowance, file, target, names) {
  const path = allowance.path.replace(/<[^>]+>/g, (name) => names[name] ?? name);
  return ["src/", ""].some((base) => {
    const wanted = base + path;
    return allowance.isDeep ? file.startsWith(wanted) : [file, folderOf(file), target?.room.path].includes(wanted);
  });
}
