const HEADER = "| Room | What it is for | May import |";

/**
 * The table of rooms in the section "Rooms" of a page.
 *
 * @typedef {{ words: string, path: string, isTypesOnly: boolean }} Allowance one entry of the column "May import"
 * @typedef {{ location: string, rooms: string[], doors: string[], allowances: Allowance[] }} Row rooms and allowances from the root of the repository
 *
 * @returns {{ rows: Row[], faults: string[] }}
 */
export function readTable(text, page) {
  const lines = text.split("\n");
  const rows = [];
  const faults = [];
  const header = lines.indexOf(HEADER);
  for (let index = header + 2; header >= 0 && lines[index]?.startsWith("|"); index++) {
    rows.push(readRow(lines[index], `${page}:${index + 1}`, faults));
  }
  if (rows.length === 0) faults.push(`${page}: there is no table "${HEADER}"`);
  return { rows, faults };
}

/** `(also entry.ts)` behind a room, with the file in back quotes, is a further door of it. */
function readRow(line, location, faults) {
  const [room = "", , mayImport = ""] = line.slice(1, -1).split("|");
  const row = { location, rooms: [], doors: [], allowances: [] };
  for (const words of room.split(/,(?![^(]*\))/).map((each) => each.trim())) {
    const [, path, also] = /^`([^`]+\/)`(?: \(also (`[^)]+`)\))?$/.exec(words) ?? [];
    if (path === undefined) {
      faults.push(`${location}: "${words}" is not a room: write its folder between back quotes`);
      continue;
    }
    row.rooms.push(`packages/${path}`);
    for (const [, door] of (also ?? "").matchAll(/`([^`]+)`/g)) row.doors.push(door);
  }
  const inPackage = row.rooms[0]?.split("/").slice(0, 2).join("/");
  const pathOf = (room) => (`packages/${room}` === `${inPackage}/` ? `${inPackage}/` : `${inPackage}/${room}`);
  for (const words of mayImport.split(",").map((each) => each.trim())) {
    if (words === "nothing further") continue;
    const [, kind, path] = /^(types of )?`([^`]+)`$/.exec(words) ?? [];
    if (path !== undefined) {
      row.allowances.push({ words, path: pathOf(path), isTypesOnly: kind !== undefined });
    } else {
      faults.push(
        `${location}: "${words}" says nothing to the check: write \`room/\`, "types of" it, or "nothing further"`,
      );
    }
  }
  return row;
}
