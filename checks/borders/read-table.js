const HEADER = "| Room | What it is for | May import |";
/** `(door)` is index.ts. `(door, also own-login.ts)`, with the file in back quotes, adds another door for rooms that have it. */
const DOOR = /\(door(?:, also `([^`]+)`)?\)$/;

/**
 * The tables of rooms in the section "Rooms" of a page.
 *
 * @typedef {{ path: string }} Room a folder (`src/turn/`) or a file (`src/server.ts`), or a pattern of folders (`src/fronts/<dialect>/`)
 * @typedef {{ words: string, path: string, isTypesOnly: boolean, isDeep: boolean }} Allowance one entry of the column "May import"
 * @typedef {{ location: string, rooms: Room[], doors: string[], allowances: Allowance[] }} Row
 *
 * @returns {{ rows: Row[], faults: string[] }}
 */
export function readTable(text, page) {
  const lines = text.split("\n");
  const start = lines.indexOf("## Rooms");
  const next = lines.findIndex((line, index) => index > start && line.startsWith("## "));
  const rows = [];
  const faults = [];
  let isInTable = false;
  for (const [index, line] of lines.entries()) {
    if (start < 0 || index < start || (next > 0 && index >= next)) continue;
    if (line === HEADER) isInTable = true;
    else if (!line.startsWith("|")) isInTable = false;
    else if (isInTable && !/^\|[-|]+\|$/.test(line)) rows.push(readRow(line, `${page}:${index + 1}`, faults));
  }
  if (rows.length === 0) faults.push(`${page}: there is no table "${HEADER}" in a section "## Rooms"`);
  return { rows, faults };
}

function readRow(line, location, faults) {
  const [room = "", , mayImport = ""] = line.slice(1, -1).split("|");
  const [door, further] = DOOR.exec(room.trim()) ?? [];
  const doors = door === undefined ? [] : ["index.ts", further].filter((each) => each !== undefined);
  const row = { location, doors, rooms: [], allowances: [] };
  for (const words of room.replace(door ?? "", "").split(",")) {
    const path = /^`([^`]+)`$/.exec(words.trim())?.[1];
    if (path === undefined)
      faults.push(`${location}: "${words.trim()}" is not a room: write its path between back quotes`);
    else row.rooms.push({ path });
  }
  for (const words of mayImport.split(",").map((each) => each.trim())) {
    if (words === "nothing of ours") continue;
    const [, kind, path] = /^(types of |all of )?`([^`]+)`$/.exec(words) ?? [];
    if (path !== undefined) {
      row.allowances.push({ words, path, isTypesOnly: kind === "types of ", isDeep: kind === "all of " });
    } else {
      faults.push(
        `${location}: "${words}" says nothing to the check: write \`room/\`, \`file.ts\`, "types of", "all of" or "nothing of ours"`,
      );
    }
  }
  return row;
}

/** The folders that the `<names>` of a pattern match in this path; undefined when the pattern does not match. */
export function matchPattern(pattern, path) {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const names = {};
  for (const [index, part] of wanted.entries()) {
    if (/^<.+>$/.test(part) && given[index] !== "") names[part] = given[index];
    else if (part !== given[index]) return undefined;
  }
  return names;
}
