import { isForTests } from "./find-imports.js";
import { roomOf } from "./rooms.js";

/** The imports of each room in the words of the table, as a help for writing a row. */
export function listImports({ rows }, files) {
  const lists = new Map();
  for (const { file, imports } of files.filter((each) => !isForTests(each.file))) {
    const from = nameOf(file, rows);
    const list = lists.get(from) ?? new Map();
    lists.set(from, list);
    for (const { to, isType } of imports) {
      const target = nameOf(to, rows);
      if (target !== from) list.set(target, isType && list.get(target) !== false);
    }
  }
  return [...lists]
    .toSorted()
    .map(([room, list]) => `${room}\n${[...list].toSorted().map(words).join("")}`)
    .join("");
}

function words([room, isTypesOnly]) {
  return `    ${isTypesOnly ? "types of " : ""}${room.replace(/^packages\/[^/]+\//, "")}\n`;
}

function nameOf(file, rows) {
  return roomOf(file, rows)?.path ?? file.replace(/(?<=\/)[^/]*$/, "");
}
