import { posix } from "node:path";
import { matchPattern } from "./read-table.js";

/** The folder that a file stands in, with the slash that folders have in the table. */
export function folderOf(file) {
  return `${posix.dirname(file)}/`;
}

/**
 * The room of a file: its own row if the table names the file, else the row of its folder. A row with the plain name of a folder
 * goes before a pattern.
 *
 * @typedef {import("./read-table.js")} Table
 * @returns {{ path: string, room: Table.Room, row: Table.Row, names: Record<string, string> } | undefined}
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

/** The rooms with a door that one has to pass on the way from a file to another, the outermost first. */
export function doorsBetween(from, to, rows) {
  const parts = folderOf(to).split("/").slice(0, -1);
  return parts
    .map((_, index) => `${parts.slice(0, index + 1).join("/")}/`)
    .filter((folder) => !from.startsWith(folder) && roomOf(`${folder}index.ts`, rows)?.row.hasDoor);
}

/** Whether an entry of "May import" is about this file. A `<name>` that the room's own path binds stands for the same folder here. */
export function isAbout(leave, file, target, names) {
  const path = leave.path.replace(/<[^>]+>/g, (name) => names[name] ?? name);
  return ["src/", ""].some((base) => {
    const wanted = base + path;
    return leave.isDeep ? file.startsWith(wanted) : [file, folderOf(file), target?.room.path].includes(wanted);
  });
}
