import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ownCommand } from "./own-command.js";

let root: string;
let main: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "curlew own ")));
  main = makeProgram("clone", "dist", "main.js");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function makeProgram(...path: string[]): string {
  const file = join(root, ...path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "");
  chmodSync(file, 0o755);
  return file;
}

function named(folder = root, file = main): string {
  const machine = { env: { PATH: join(root, "bin") }, platform: "linux", homeDirectory: root } as const;
  return ownCommand({ machine, main: file, folder });
}

describe("the name by which a person can start this program", () => {
  it("is curlew where that is a link to it, as npm makes it", () => {
    mkdirSync(join(root, "bin"));
    symlinkSync(main, join(root, "bin", "curlew"));
    expect(named()).toBe("curlew");
    expect(named(root, join(root, "bin", "curlew"))).toBe("curlew");
  });

  it("is the file in a clone, even if there is another curlew", () => {
    makeProgram("bin", "curlew");
    expect(named(join(root, "clone"))).toBe("node dist/main.js");
    expect(named(root)).toBe("node clone/dist/main.js");
  });

  it("is the whole path from elsewhere", () => {
    expect(named("/nowhere")).toBe(`node ${JSON.stringify(main)}`);
  });

  it("is npx where it is installed for a project alone", () => {
    expect(named(root, makeProgram("node_modules", "curlew", "dist", "main.js"))).toBe("npx curlew");
  });
});
