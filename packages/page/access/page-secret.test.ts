import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WatchedFile } from "@curlew/gateway/system/watched-file.js";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import { PageSecret, replaceSecret } from "./page-secret.js";

let folder = "";
let path = "";
let clock: ManualClock;
let problems: unknown[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "curlew-page-"));
  path = join(folder, "home", "page.secret");
  clock = new ManualClock();
  problems = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (at = path) => new PageSecret({ path: at, clock, onProblem: (problem) => problems.push(problem) });

describe("the secret of the page", () => {
  it("is created when first needed, readable only by the owner", () => {
    const secret = open();
    expect(secret.current).toBeUndefined();
    expect(existsSync(path)).toBe(false);
    const made = secret.made;
    expect(made).toMatch(/^[\w-]{43}$/);
    expect([secret.made, secret.current]).toEqual([made, made]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "home")).mode & 0o777).toBe(0o700);
    expect(problems).toEqual([]);
  });

  it("is the same after a restart and in all gateways of a home", () => {
    const made = open().made;
    expect([open().current, open().made]).toEqual([made, made]);
  });

  it("is that of the first gateway when two race to create it", () => {
    const [one, other] = [open(), open()];
    // Both have found no file.
    expect([one.current, other.current]).toEqual([undefined, undefined]);
    const newest = vi.spyOn(WatchedFile.prototype, "newest", "get").mockReturnValue(undefined);
    onTestFinished(() => newest.mockRestore());
    const made = one.made;
    expect([other.made, readFileSync(path, "utf8").trim()]).toEqual([made, made]);
  });

  it("is reloaded within a second after it was replaced", () => {
    const secret = open();
    const made = secret.made;
    const replaced = replaceSecret(path);
    expect(replaced).not.toBe(made);
    clock.advance(1_000);
    expect(secret.current).toBe(replaced);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is reloaded at once for new signatures", () => {
    const secret = open();
    const made = secret.made;
    expect(secret.current).toBe(made);
    const replaced = replaceSecret(path);
    expect([secret.made, secret.current]).toEqual([replaced, replaced]);
  });

  it("is created again after it was deleted", () => {
    const secret = open();
    const made = secret.made;
    rmSync(path);
    clock.advance(1_000);
    expect(secret.current).toBeUndefined();
    expect(secret.made).not.toBe(made);
    expect(readFileSync(path, "utf8")).toBe(`${secret.made}\n`);
  });

  it("is kept in memory if it cannot be written, and reports that", () => {
    writeFileSync(join(folder, "file"), "");
    const unwritable = join(folder, "file", "page.secret");
    const secret = open(unwritable);
    const made = secret.made;
    expect([secret.current, secret.made]).toEqual([made, made]);
    // At least the failed write. Versions of Node differ in whether reading reports a problem too.
    expect(problems.length).toBeGreaterThan(0);
    expect(open(unwritable).made).not.toBe(made);
  });

  it.each(["", "short\n", `${"x".repeat(43)}\nand more\n`])("replaces an invalid file (%j)", (text) => {
    replaceSecret(path);
    writeFileSync(path, text);
    const secret = open();
    expect(secret.current).toBeUndefined();
    expect(secret.made).toMatch(/^[\w-]{43}$/);
    expect(problems).toMatchObject([{ message: expect.stringContaining("is not a secret as Curlew writes it") }]);
    if (text !== "") expect(String(problems)).not.toContain(text.trim());
  });
});
