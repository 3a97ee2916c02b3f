import { chmodSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sqlite from "node-sqlite3-wasm";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import type { ForeignLookup } from "./cursor-files.js";
import { readEditorState } from "./find-foreign.js";

const nowMs = 1_800_000_000_000;
let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "state.vscdb");
});

function jwt(claims: object): string {
  return `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
}

const session = jwt({ exp: nowMs / 1_000 + 3_600, type: "session", sub: "auth0|user_1" });
const found: ForeignLookup = {
  state: "found",
  secret: { kind: "session", accessToken: session, refreshToken: session, canRenew: true },
  email: "me@example.org",
  expiresMs: nowMs + 3_600_000,
};

type Cell = string | Uint8Array;
const items = (cell: (text: string) => Cell): [string, Cell][] => [
  ["cursorAuth/accessToken", cell(session)],
  ["cursorAuth/refreshToken", cell(session)],
  ["cursorAuth/cachedEmail", cell("me@example.org")],
];

const asTexts = items((text) => text);

/** A database made by SQLite itself, with the editor's settings. */
function make(rows: readonly [string, Cell][], { pragmas = "", noise = 0 } = {}): void {
  const database = new sqlite.Database(path);
  database.exec(pragmas);
  database.exec("CREATE TABLE other (a); CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)");
  database.exec("BEGIN");
  const insert = database.prepare("INSERT INTO ItemTable VALUES (?, ?)");
  for (let index = 0; index < noise; index++) insert.run([`noise/${index}`, "n".repeat((index * 97) % 20_000)]);
  for (const row of rows) insert.run(row);
  for (let index = 0; index < noise; index++) insert.run([`later/${index}`, "n".repeat((index * 31) % 9_000)]);
  insert.finalize();
  database.exec("COMMIT");
  database.close();
}

const utf16 = (text: string) => Buffer.from(text, "utf16le");

describe("the editor's database", () => {
  it.each<[string, (text: string) => Cell]>([
    ["text", (text) => text],
    ["text in quotes", (text) => JSON.stringify(text)],
    ["bytes in UTF-8", (text) => Buffer.from(text)],
    ["bytes in UTF-8 and quotes", (text) => Buffer.from(JSON.stringify(text))],
    ["bytes in UTF-16LE", utf16],
    ["bytes in UTF-16LE and quotes", (text) => utf16(JSON.stringify(text))],
    ["bytes in UTF-16LE with a mark", (text) => utf16(`\uFEFF${text}`)],
  ])("yields a session stored as %s", (_, cell) => {
    make(items(cell));
    expect(readEditorState(path, nowMs)).toEqual(found);
  });

  it("is found among many large rows, on pages of any size", () => {
    for (const size of [512, 4_096, 65_536]) {
      rmSync(path, { force: true });
      make(asTexts, { pragmas: `PRAGMA page_size=${size}`, noise: 300 });
      expect(readEditorState(path, nowMs)).toEqual(found);
    }
  });

  it("can be encoded in UTF-16", () => {
    make(asTexts, { pragmas: "PRAGMA encoding='UTF-16le'", noise: 20 });
    expect(readEditorState(path, nowMs)).toEqual(found);
  });

  it("is read with the newest rows from its write-ahead log", () => {
    make([["cursorAuth/accessToken", "old"]]);
    const database = new sqlite.Database(path);
    database.exec(
      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=NORMAL",
    );
    for (const [key, value] of asTexts) database.run("INSERT INTO ItemTable VALUES (?, ?)", [key, value]);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    expect(readEditorState(path, nowMs)).toEqual(found);
    const [main, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
    database.close();
    writeFileSync(path, main);
    // Leftovers of a crash at the end of the log are ignored, and so is an incomplete last change.
    writeFileSync(`${path}-wal`, Buffer.concat([log, Buffer.alloc(5_000, 7)]));
    expect(readEditorState(path, nowMs)).toEqual(found);
    writeFileSync(`${path}-wal`, log.subarray(0, -1));
    expect(readEditorState(path, nowMs)).toEqual({ ...found, email: undefined });
  });

  it("is busy, not signed out, while it is written", () => {
    make(asTexts);
    writeFileSync(`${path}-journal`, Buffer.from("d9d505f920a163d700000001", "hex"));
    expect(readEditorState(path, nowMs)).toMatchObject({
      state: "unusable",
      why: expect.stringContaining("try again"),
    });
    writeFileSync(`${path}-journal`, Buffer.alloc(512)); // a finished journal stays behind like this
    expect(readEditorState(path, nowMs)).toEqual(found);
  });

  it("is not modified, and no file is created beside it", () => {
    make(asTexts);
    chmodSync(path, 0o400);
    const before = readFileSync(path);
    readEditorState(path, nowMs);
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder)).toEqual(["state.vscdb"]);
  });

  it("counts as signed out when it is missing or has no session", () => {
    expect(readEditorState(path, nowMs)).toEqual({ state: "none" });
    make([["other", "x"]]);
    expect(readEditorState(path, nowMs)).toEqual({ state: "none" });
  });

  it("with an expired session is unusable", () => {
    make([["cursorAuth/accessToken", jwt({ exp: 1_700_000_000, type: "session" })]]);
    expect(readEditorState(path, nowMs)).toEqual({ state: "unusable", why: "its session expired on 2023-11-14" });
  });

  it("that is damaged never crashes the reader", () => {
    make(asTexts, { noise: 30 });
    const whole = readFileSync(path);
    for (let length = 0; length < whole.length; length += 3_001) {
      writeFileSync(path, whole);
      truncateSync(path, length);
      expect(["found", "unusable"]).toContain(readEditorState(path, nowMs).state);
    }
    truncateSync(path, 5_000);
    expect(readEditorState(path, nowMs)).toMatchObject({ state: "unusable" });
    for (let seed = 1; seed < 60; seed++) {
      const broken = Buffer.from(whole);
      for (let at = 100 + seed; at < broken.length; at += 997 + seed) broken[at] = (broken[at] ?? 0) ^ (seed * 37);
      writeFileSync(path, broken);
      expect(["found", "unusable", "none"]).toContain(readEditorState(path, nowMs).state);
    }
    writeFileSync(path, "not a database, but long enough to be taken for one ".repeat(10));
    expect(readEditorState(path, nowMs)).toMatchObject({ why: `${path} is not a SQLite database` });
  });
});
