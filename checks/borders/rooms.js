import { posix } from "node:path";

/**
 * The room of a file: the nearest folder above it that has a row. A row with the plain name of a folder goes before a pattern. The row of a
 * whole package covers only the files that lie right in it, so a new folder there needs a row.
 *
 * @param {import("./read-table.js").Row[]} rows
 * @returns its folder with a slash at the end, its row, and its path in that row
 */
export function roomOf(file, rows) {
  const parts = posix.dirname(file).split("/");
  for (let depth = parts.length; depth > 1; depth--) {
    const path = `${parts.slice(0, depth).join("/")}/`;
    const found = rows.flatMap((row) =>
      row.rooms.filter((room) => fits(room, path)).map((room) => ({ path, row, room })),
    );
    const plain = found.find(({ room }) => !room.includes("<")) ?? found[0];
    if (plain !== undefined) return depth === 2 && parts.length > 2 ? undefined : plain;
  }
  return undefined;
}

/** `<name>` in a pattern stands for any one folder. */
function fits(room, path) {
  const [wanted, given] = [room.split("/"), path.split("/")];
  return wanted.length === given.length && wanted.every((part, index) => part === given[index] || /^<.+>$/.test(part));
}

/** The folders with an index.ts between one file and another, the outermost first. */
export function doorsBetween(from, to, indexes) {
  const parts = posix.dirname(to).split("/");
  return parts
    .map((_, index) => `${parts.slice(0, index + 1).join("/")}/`)
    .filter((folder) => !from.startsWith(folder) && indexes.has(`${folder}index.ts`));
}
