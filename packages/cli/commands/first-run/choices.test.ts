import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { offersFor, signInChoices } from "./guide.js";
import { startChoices } from "./start-step.js";
import { shortened } from "./write-step.js";

const values = (choices: readonly { value: string }[]) => choices.map(({ value }) => value);

describe("the choices", () => {
  it("to sign in include an import only if there is one, naming its programs", () => {
    expect(values(signInChoices([], false))).toEqual(["browser", "api-key", "simulate", "skip"]);
    const withImport = signInChoices(["Cursor's CLI", "Cursor's editor"], false);
    expect(values(withImport)).toEqual(["browser", "import", "api-key", "simulate", "skip"]);
    expect(withImport[1]?.label).toBe("Copy the login of Cursor's CLI or Cursor's editor");
    expect(values(signInChoices([], true))[0]).toBe("keep");
  });

  it("to start include no service without a credential, and no real start without a sign-in", () => {
    expect(values(startChoices("signed in"))).toEqual(["here", "service", "later", "back"]);
    expect(values(startChoices("simulated"))).toEqual(["here", "later", "back"]);
    expect(values(startChoices("none"))).toEqual(["sign-in", "simulate", "later", "back"]);
  });

  it("of clients include each with a settings file, installed ones first", () => {
    const homeDirectory = temporaryFolder();
    for (const folder of [".qwen", ".claude"]) mkdirSync(join(homeDirectory, folder));
    const offers = offersFor({ env: { PATH: "" }, platform: "linux", homeDirectory });
    const isHere = offers.map((each) => each.isInstalled);
    expect(isHere.indexOf(false)).toBe(2);
    expect(isHere.lastIndexOf(true)).toBe(1);
    expect(offers.slice(0, 2).map(({ client }) => client.name)).toEqual(["claude", "qwen"]);
    expect(offers.map(({ client }) => client.name)).not.toContain("env");
    expect(offers.map(({ client }) => client.name)).toContain("opencode");
  });
});

describe("a diff", () => {
  const diff = (lines: number) => Array.from({ length: lines }, (_, at) => `+${at}`).join("\n");

  it("is shown whole if it is short", () => {
    expect(shortened(`${diff(18)}\n`, "claude")).toBe(diff(18));
  });

  it("is cut if it is long, and says how to see the rest", () => {
    expect(shortened(diff(100), "opencode")).toBe(`${diff(12)}\nand 88 more lines: curlew setup opencode --dry-run`);
  });
});
