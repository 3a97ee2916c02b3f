import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Film, linesOf } from "../../testing/terminal/recording/film.js";
import type { Desk } from "./desk.js";
import { openDeskWith } from "./desk-with.js";
import { newFilm, pictureFile, pictureOf, pictureSize } from "./picture.js";
import { type WalkedClient, walkedClients, walkFirstRun } from "./walk.js";

const MOST_PRESSES = 8;
const MOST_PICTURE_BYTES = 150 * 1_024;

const [openCode, claudeCode] = walkedClients;

describe("the guided first run leads to an answer, and can be undone", () => {
  it("in OpenCode, as in the picture", async () => {
    const film = newFilm();
    await walkAndUndo(await openDeskWith(openCode.name, { film, size: pictureSize }), openCode);
    checkPicture(film);
  });

  it("in Claude Code", async () => {
    await walkAndUndo(await openDeskWith(claudeCode.name), claudeCode);
  });
});

async function walkAndUndo(desk: Desk, client: WalkedClient): Promise<void> {
  onTestFinished(() => desk.close());
  const { person, machine, simulator, url } = desk;
  const file = join(machine.home, client.file);
  expect(existsSync(file)).toBe(false);
  expect(await walkFirstRun(desk, client)).toBeLessThanOrEqual(MOST_PRESSES);

  expect(readFileSync(file, "utf8")).toContain(url);
  // The ledger of the gateway has the client's requests, and only the gateway can sign in to Cursor.
  const agents = async () => {
    const { throughCurlew } = JSON.parse(await desk.curlew("usage", "--by", "client", "--json"));
    const entries: { client: string }[] = throughCurlew.entries;
    return entries.map((entry) => entry.client);
  };
  await expect.poll(agents).toContainEqual(expect.stringContaining(client.agent));
  expect(simulator.stats().runs).toBeGreaterThanOrEqual(2);
  // Its log is a table that fits the terminal.
  const [, log = ""] = (await person.terminal.screen()).split("Requests appear here.\n");
  const isEntry = (line: string) => /^\d\d:\d\d:\d\d {2}/.test(line);
  expect(log.trim().split("\n")).toSatisfy((lines: string[]) => lines.every(isEntry));

  await person.presses("C-c");
  await person.terminal.until(/\$$/);
  expect(await desk.curlew("setup", client.name, "--undo", "--yes")).toContain(`Restored ${client.title}'s settings.`);
  expect(existsSync(file)).toBe(false);
}

/** If this fails, the picture is out of date: npm run recording. */
function checkPicture(film: Film): void {
  const picture = readFileSync(pictureFile, "utf8");
  const wordsOf = (texts: readonly string[]) => {
    return new Set(texts.flatMap((text) => text.split(/[^\p{L}]+/u)).filter((word) => word !== ""));
  };
  const shown = wordsOf(textsIn(picture));
  const today = wordsOf(textsIn(pictureOf(film)));
  expect([...shown].filter((word) => !today.has(word))).toEqual([]);
  expect([...today].filter((word) => !shown.has(word))).toEqual([]);
  expect(linesOf(film.frames.at(-1) ?? { rows: [] })).toContain("391");
  expect(picture.length).toBeLessThan(MOST_PICTURE_BYTES);
  const seconds = Number(/animation:([\d.]+)s/.exec(picture)?.[1]);
  expect(seconds).toSatisfy((length: number) => length >= 15 && length <= 25);
}

function textsIn(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = ""]) => text.replace(/&\w+;/g, " "));
}
