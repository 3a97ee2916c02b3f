import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeKey, type StoredKey, writeKeys } from "./key-file.js";
import type { KeyRing } from "./key-ring.js";
import { openKeys } from "./key-ring.js";

let folder = "";
let path = "";
let nowMs = 0;
let problems: unknown[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "curlew-keys-"));
  path = join(folder, "home", "keys.json");
  nowMs = 0;
  problems = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open({
  key,
  host = "127.0.0.1",
  allowedHosts = [],
}: {
  key?: string;
  host?: string;
  allowedHosts?: string[];
} = {}): KeyRing {
  const onProblem = (problem: unknown) => problems.push(problem);
  return openKeys({ path, key, host, allowedHosts, elapsed: () => nowMs, onProblem });
}

function add(...names: string[]): { secrets: string[]; stored: StoredKey[] } {
  const made = names.map((name) => makeKey(name, {}, 0));
  const stored = made.map((each) => each.stored);
  writeKeys(path, stored);
  return { secrets: made.map(({ secret }) => secret), stored };
}

function aSecondLater(): void {
  nowMs += 1_000;
}

describe("keys", () => {
  it("are required on this machine only if there are any", () => {
    expect(open().anonymous).toEqual({ id: "", name: undefined });
    expect(open({ key: "the-single-key" }).anonymous).toBeUndefined();
    add("laptop");
    expect(open().anonymous).toBeUndefined();
  });

  it("stay required until a restart if their file is deleted, and always behind a proxy", () => {
    add("laptop");
    const keys = open();
    expect(keys.anonymous).toBeUndefined();
    rmSync(path);
    aSecondLater();
    expect(keys.anonymous).toBeUndefined();
    expect(open().anonymous).toBeDefined();
    expect(open({ allowedHosts: ["ai.example.com"] }).anonymous).toBeUndefined();
  });

  it("identify callers by the hash of their key", () => {
    const { secrets, stored } = add("laptop", "phone");
    const keys = open({ key: "the-single-key" });
    const single = createHash("sha256").update("the-single-key").digest("base64url");
    expect(keys.find("the-single-key")).toEqual({ id: single, name: undefined });
    const found = secrets.map((secret) => keys.find(secret));
    expect(found.map((caller) => caller?.name)).toEqual(["laptop", "phone"]);
    const hashes = stored.map(({ sha256 }) => Buffer.from(sha256, "hex").toString("base64url"));
    expect(found.map((caller) => caller?.id)).toEqual(hashes);
    for (const other of ["", "the-single-kez", secrets[0]?.slice(1) ?? "", stored[0]?.sha256 ?? ""]) {
      expect(keys.find(other)).toBeUndefined();
    }
  });

  it("keep their name and limits if equal to the single key", () => {
    const { secret, stored } = makeKey("phone", { day: { requests: 1 } }, 0);
    writeKeys(path, [stored]);
    const keys = open({ key: secret });
    expect(keys.find(secret)).toMatchObject({ name: "phone" });
    expect(keys.limitsOf(keys.find(secret)?.id ?? "")).toEqual({ day: { requests: 1 } });
  });

  it("are no longer required when turned off, but only on this machine", () => {
    add("laptop");
    const keys = open();
    const reached = [open({ host: "0.0.0.0" }), open({ allowedHosts: ["ai.example.com"] }), open({ key: "single" })];
    expect(keys.anonymous).toBeUndefined();
    writeKeys(path, "off");
    aSecondLater();
    expect(keys.anonymous).toBeDefined();
    expect(reached.map(({ anonymous }) => anonymous)).toEqual([undefined, undefined, undefined]);
    rmSync(path);
    aSecondLater();
    expect(keys.anonymous).toBeDefined();
    add("laptop");
    aSecondLater();
    expect(keys.anonymous).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it("stay required when their file is a dangling link", () => {
    mkdirSync(join(path, ".."));
    symlinkSync(join(folder, "not-mounted"), path);
    expect(open().anonymous).toBeUndefined();
    expect(problems).toMatchObject([{ message: expect.stringContaining("ENOENT") }]);
  });

  it("stay unchanged while the file is broken", () => {
    const { secrets } = add("laptop");
    const keys = open();
    expect(keys.find(secrets[0] ?? "")?.name).toBe("laptop");
    writeFileSync(path, "{");
    aSecondLater();
    expect(keys.find(secrets[0] ?? "")?.name).toBe("laptop");
    expect(problems).toHaveLength(1);
  });

  it.each([
    ["invalid JSON", "{"],
    ["another form", "[]"],
    ["a bad name", JSON.stringify({ keys: [{ ...makeKey("a", {}, 0).stored, name: "\u001B[2J" }] })],
    ["a duplicate name", JSON.stringify({ keys: [1, 2].map(() => makeKey("a", {}, 0).stored) })],
    [
      "a limit below zero",
      JSON.stringify({ keys: [{ ...makeKey("a", {}, 0).stored, limits: { day: { tokens: -1 } } }] }),
    ],
    ["off and something else", JSON.stringify({ keys: "off", more: 1 })],
    ["too many keys", JSON.stringify({ keys: Array.from({ length: 1_001 }, () => ({})) })],
  ])("are required when their file has %s from the start", (_, text) => {
    writeKeys(path, []);
    writeFileSync(path, text);
    const keys = open();
    expect(keys.anonymous).toBeUndefined();
    expect(problems).toMatchObject([{ message: expect.stringContaining("keys.json is not a list of keys") }]);
  });

  it("never appear in error messages about their file", () => {
    writeKeys(path, []);
    writeFileSync(path, JSON.stringify({ keys: [{ name: "curlew_pasted_by_mistake/+" }] }));
    expect(open().anonymous).toBeUndefined();
    expect(String(problems)).not.toContain("pasted");
  });

  it("have ceilings that are found by the caller", () => {
    const { secret, stored } = makeKey("laptop", { day: { tokens: 5 } }, 0);
    writeKeys(path, [stored]);
    const keys = open({ key: "the-single-key" });
    const caller = keys.find(secret);
    expect(keys.limitsOf(caller?.id ?? "")).toEqual({ day: { tokens: 5 } });
    expect(keys.limitsOf("nobody")).toBeUndefined();
    writeKeys(path, [{ ...stored, limits: { day: { tokens: 6 } } }]);
    aSecondLater();
    expect(keys.limitsOf(caller?.id ?? "")).toEqual({ day: { tokens: 6 } });
  });
});
