import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { moveOne } from "./move-one.js";

let base = "";
let from = "";
let to = "";

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "curlew-move-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(join(base, "old"));
  from = join(base, "old", "ledger");
  to = join(base, "new", "curlew", "ledger");
});

function fill(folder: string, text = "kept"): void {
  mkdirSync(join(folder, "open"), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "data.mdb"), text, { mode: 0o600 });
  writeFileSync(join(folder, "open", "1.log"), "line\n", { mode: 0o600 });
  utimesSync(join(folder, "data.mdb"), 1_000, 2_000);
}

function expectWhole(folder = to, text = "kept"): void {
  expect(readFileSync(join(folder, "data.mdb"), "utf8")).toBe(text);
  expect(readFileSync(join(folder, "open", "1.log"), "utf8")).toBe("line\n");
}

const names = (folder: string) => readdirSync(join(base, folder)).sort();

/** A rename as it is between two disks. */
const otherDisk: typeof renameSync = () => {
  throw Object.assign(new Error("EXDEV: cross-device link not permitted"), { code: "EXDEV" });
};

describe.each([
  ["on the same disk", renameSync],
  ["to another disk", otherDisk],
])("a folder that moves %s", (_, rename) => {
  it("is whole in its new place, and gone from the old one", () => {
    fill(from);
    expect(moveOne(from, to, rename)).toBe("moved");
    expectWhole();
    expect([names("old"), names("new/curlew")]).toEqual([[], ["ledger"]]);
    expect(statSync(join(to, "data.mdb")).mtimeMs).toBe(2_000_000);
    expect(statSync(join(to, "data.mdb")).mode & 0o777).toBe(0o600);
    expect(statSync(join(base, "new", "curlew")).mode & 0o777).toBe(0o700);
    expect(moveOne(from, to, rename)).toBe("absent");
  });

  it("stays when there is one in the new place already", () => {
    fill(from, "old");
    fill(to, "new");
    expect(moveOne(from, to, rename)).toBe("both");
    expectWhole(from, "old");
    expectWhole(to, "new");
  });

  it("is a link that leads to the same folder from its new place", () => {
    fill(join(base, "big"));
    symlinkSync("../big", from);
    expect(moveOne(from, to, rename)).toBe("moved");
    expect(lstatSync(to).isSymbolicLink()).toBe(true);
    expect(realpathSync(to)).toBe(realpathSync(join(base, "big")));
    expectWhole();
    expect(names("old")).toEqual([]);
  });

  it("stays where a link makes both places one", () => {
    fill(from);
    mkdirSync(join(base, "new"));
    symlinkSync(join(base, "old"), join(base, "new", "curlew"));
    expect(moveOne(from, to, rename)).toBe("absent");
    expectWhole(from);
  });

  it.skipIf(process.getuid?.() === 0)("stays where the new place cannot be written", () => {
    fill(from);
    mkdirSync(join(base, "new"), { mode: 0o500 });
    expect(() => moveOne(from, to, rename)).toThrow("EACCES");
    expectWhole(from);
    chmodSync(join(base, "new"), 0o700);
  });
});

describe("a move to another disk that was killed", () => {
  const id = "999999999-abc"; // no process has this number

  it("while it copied begins again", () => {
    fill(from);
    mkdirSync(`${to}.part-${id}`, { recursive: true });
    writeFileSync(join(`${to}.part-${id}`, "data.mdb"), "ke");
    expect(moveOne(from, to, otherDisk)).toBe("moved");
    expectWhole();
    expect([names("old"), names("new/curlew")]).toEqual([[], ["ledger"]]);
  });

  it("after it had copied goes on", () => {
    fill(`${from}.moved-${id}`);
    fill(`${to}.part-${id}`);
    expect(moveOne(from, to, otherDisk)).toBe("moved");
    expectWhole();
    expect([names("old"), names("new/curlew")]).toEqual([[], ["ledger"]]);
  });

  it("before it had cleaned up does that", () => {
    fill(`${from}.moved-${id}`, "older");
    fill(to);
    expect(moveOne(from, to, otherDisk)).toBe("moved");
    expectWhole();
    expect(names("old")).toEqual([]);
  });

  it("and whose copy somebody has deleted since begins again", () => {
    fill(`${from}.moved-${id}`);
    expect(moveOne(from, to, otherDisk)).toBe("moved");
    expectWhole();
    expect(names("old")).toEqual([]);
  });

  it("leaves the copy of a living process alone", () => {
    fill(from);
    const part = `${to}.part-${process.pid}-other`;
    fill(part);
    expect(moveOne(from, to, otherDisk)).toBe("moved");
    expect(existsSync(part)).toBe(true);
  });
});

it("has been done by another process when the rename finds nothing", () => {
  fill(from);
  const outrun: typeof renameSync = (...paths) => {
    renameSync(...paths);
    renameSync(...paths);
  };
  expect(moveOne(from, to, outrun)).toBe("absent");
  expectWhole();
});

it("has been done by another process when its copy is ready", () => {
  fill(from);
  const outrun: typeof renameSync = (...paths) => {
    moveOne(from, to); // the other one, meanwhile
    return otherDisk(...paths);
  };
  expect(moveOne(from, to, outrun)).toBe("absent");
  expectWhole();
  expect([names("old"), names("new/curlew")]).toEqual([[], ["ledger"]]);
});
