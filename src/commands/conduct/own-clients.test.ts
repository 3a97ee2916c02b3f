import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type KnownHabit, ownClients } from "./own-clients.js";

/** The lines of a section, each a row of its table or a line of text. */
function linesOf({ page, section }: KnownHabit["note"]): readonly string[] {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), "utf8");
  const [, body] = text.split(`\n## ${section}\n`);
  return (body?.split("\n## ")[0] ?? "").split("\n");
}

describe("what is said about Cursor's own clients", () => {
  const known = Object.entries(ownClients).flatMap(([name, habit]) =>
    habit === undefined ? [] : [{ name, ...habit }],
  );

  it.each(known)("stands in the note that it names, with the same certainty: $name", ({ note, sure, words }) => {
    const said = linesOf(note).filter((line) => line.includes(words));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(new RegExp(`\\| ${sure} \\|$`));
  });
});
