import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { createColors } from "../../terminal/print.js";
import { banner, ownCommand } from "./banner.js";

type Settings = Parameters<typeof banner>[0]["settings"];

const usual: Settings = {
  ...{ key: undefined, keyFile: undefined, passThrough: false },
  ...{ backendUrl: "https://api2.cursor.sh", conduct: "usual" as const },
};

interface Shown extends Partial<Settings> {
  readonly hasNamedKeys?: boolean;
  readonly pageLink?: string;
  readonly command?: string;
}

function shown({ hasNamedKeys = false, pageLink, command = "curlew", ...changes }: Shown = {}): string {
  const chosen = { backend: "simulator", isFallback: false } as const;
  const settings = { ...usual, ...changes };
  return banner({ url: "http://127.0.0.1:1", chosen, settings, hasNamedKeys, pageLink, command }, createColors(false));
}

describe("the banner", () => {
  it.each([
    ["anything", {}, /API key +any; no gateway key is set\n/, "/v1/responses --json"],
    ["the gateway key", { key: "k" }, /API key +the gateway key\n/, '"authorization: Bearer $CURLEW_KEY"'],
    ["their own", { passThrough: true }, /API key +the caller's own Cursor/, '"authorization: Bearer $CURSOR_API_KEY"'],
    [
      "both",
      { key: "k", passThrough: true },
      /caller's own .*; the gateway key comes as x-curlew-key\n/,
      '"x-curlew-key: $CURLEW_KEY"',
    ],
    ["a named key", { hasNamedKeys: true }, /API key +a key of curlew keys\n/, '"authorization: Bearer $KEY"'],
    [
      "the gateway key or a named one",
      { key: "k", passThrough: true, hasNamedKeys: true },
      /; the gateway key or a key of curlew keys comes as x-curlew-key\n/,
      '"x-curlew-key: $CURLEW_KEY"',
    ],
  ])("says which key a client sends: %s", (_, settings, row, line) => {
    expect(shown(settings)).toMatch(row);
    expect(shown(settings)).toContain(line);
  });

  it("has both base URLs, the way to set up clients first and the curl line last", () => {
    const text = shown();
    expect(text).toMatch(/ OpenAI +http:\/\/127\.0\.0\.1:1\/v1\n +Anthropic +http:\/\/127\.0\.0\.1:1\n/);
    expect(text.indexOf("curlew setup")).toBeLessThan(text.indexOf("/v1"));
    expect(text).toMatch(/ Try it\n {2}curl .+\n\n {2}Ctrl-C to stop\n\n$/);
  });

  it("names the command that the user has", () => {
    const text = shown({ hasNamedKeys: true, command: "node dist/main.js" });
    for (const command of ["setup", "dashboard", "keys"]) expect(text).toContain(`node dist/main.js ${command}`);
    expect(text).not.toMatch(/(?<!^)curlew /);
  });

  it("shows the link to the page if there is one, otherwise the command", () => {
    const pageLink = "http://127.0.0.1:1/#open=secret";
    expect(shown({ pageLink })).toMatch(
      /Page \(opens once, within 10 minutes; later: curlew dashboard\)\n {2}http:\/\/127.0.0.1:1\/#open=secret\n/,
    );
    expect(shown()).toMatch(/page +curlew dashboard\n/);
  });

  it("mentions careful conduct, but not the usual one", () => {
    expect(shown({ conduct: "careful" })).toMatch(/conduct +careful: two runs at once/);
    expect(shown()).not.toContain("conduct");
  });
});

let root: string;
let main: string;
beforeEach(() => {
  root = join(realpathSync(temporaryFolder()), "curlew own");
  main = makeProgram("clone", "dist", "main.js");
});

function makeProgram(...path: string[]): string {
  const file = join(root, ...path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "");
  chmodSync(file, 0o755);
  return file;
}

function named(folder = root, file = main): string {
  const machine = { env: { PATH: join(root, "bin") }, platform: "linux", homeDirectory: root } as const;
  return ownCommand(machine, file, folder);
}

describe("the command that starts this program", () => {
  it("is curlew if that links to it, as npm does", () => {
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

  it("is the absolute path from elsewhere", () => {
    expect(named("/nowhere")).toBe(`node ${JSON.stringify(main)}`);
  });

  it("is npx if it is installed only in a project", () => {
    expect(named(root, makeProgram("node_modules", "curlew", "dist", "main.js"))).toBe("npx curlew");
  });
});
