import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { field, parseJson } from "../../../turn/read-json.js";
import { clientTools } from "./client-tools.cases.js";
import { mapNativeExec } from "./map-native-exec.js";
import { execOf } from "./native-execs.cases.js";
import { offered } from "./tool.cases.js";

type Asked = Parameters<typeof execOf>[0];

/** The command that Codex gets for it, if any. */
function commandFor(asked: Asked): string | undefined {
  const call = mapNativeExec(execOf(asked), clientTools.codex);
  const command = call && field(parseJson(call.input), "cmd");
  return typeof command === "string" ? command : undefined;
}

const read = (path: string): Asked => ({ case: "readArgs", value: { path } });
const readSome = (path: string): Asked => ({ case: "readArgs", value: { path, offset: 1, limit: 1 } });
const list = (path: string): Asked => ({ case: "lsArgs", value: { path } });
const searchIn = (path: string): Asked => ({ case: "grepArgs", value: { pattern: "needle", path } });
const searchFor = (pattern: string): Asked => ({ case: "piGrepArgs", value: { pattern, literal: true, path: "." } });
const searchNamed = (glob: string): Asked => ({ case: "grepArgs", value: { pattern: "needle", glob } });

/** Each would create the file `pwned`, call another program, be an option or be several words, if it were not quoted. */
const hostileNames = [
  "; touch pwned",
  "a; touch pwned",
  "a && touch pwned",
  "a || touch pwned",
  "a & touch pwned",
  "a | touch pwned",
  "$(touch pwned)",
  "a$(touch pwned)b",
  "`touch pwned`",
  "a`touch pwned`b",
  "'; touch pwned; '",
  '"; touch pwned; "',
  "'$(touch pwned)'",
  '"$(touch pwned)"\'',
  "a'b",
  "'",
  "''",
  "'\"'\"'",
  '"',
  "\\",
  "a\\",
  "\\'; touch pwned; '",
  "a\\'; touch pwned; '",
  "\\\\'; touch pwned #",
  "’; touch pwned; ’",
  "‘; touch pwned; ‚‛",
  "a'‘\\’'b; touch pwned",
  "> pwned",
  "a > pwned",
  ">pwned",
  "< a",
  "<(touch pwned)",
  "a <<< pwned",
  `\${IFS}touch pwned`,
  "$HOME",
  `\${HOME:=pwned}`,
  "$((1+1))",
  "*",
  "?",
  "[a-z]*",
  "{a,b}",
  "~",
  "~root",
  "!!",
  "!touch pwned",
  "#a",
  "a #b",
  "-",
  "--",
  "-rf",
  "--help",
  "-e touch",
  "--include=*",
  "-n1e touch pwned",
  "a b  c",
  " leading and trailing ",
  "(touch pwned)",
  "{ touch pwned; }",
  "if",
  "=touch",
  "a=b",
  "PATH=. touch",
  "%self",
  "naïve – файл 文件 🙂",
  "e\u0301\u200d\u00a0\u2028",
  "x".repeat(255),
];

/** These reach no shell at all: a terminal would act on them, or show something else than what runs. */
const refusedTexts = [
  "a\0b",
  "a\ntouch pwned",
  "a\r\ntouch pwned\r\n",
  "a\u0003touch pwned",
  "a\u0004",
  "a\u0015touch pwned",
  "a\tb",
  "\u001b[2Jtouch pwned",
  "a\u007f",
  "a\u009btouch",
  "a\u202ednuot",
  "a\u2066b",
  "x".repeat(5_000),
];

const programs = "cat sed ls grep touch rm head find env id sh bash".split(" ");
let folder: string;
let log: string;

beforeEach(() => {
  const home = mkdtempSync(join(tmpdir(), "curlew-shell-"));
  folder = join(home, "work");
  log = join(home, "log");
  mkdirSync(folder);
  mkdirSync(join(home, "bin"));
  for (const name of programs) {
    const real = `PATH=/usr/local/bin:/usr/bin:/bin; exec ${name} "$@"`;
    const script = `#!/bin/sh\nprintf '%s\\0' ${name} "$@" >> '${log}'; printf '\\n' >> '${log}'\n${real}\n`;
    writeFileSync(join(home, "bin", name), script);
    chmodSync(join(home, "bin", name), 0o755);
  }
});
afterEach(() => rmSync(dirname(folder), { recursive: true }));

/** Runs the command with programs that record each call. Returns what it printed, and the calls. */
function run(shell: string, command: string) {
  writeFileSync(log, "");
  const env = { PATH: join(dirname(folder), "bin"), HOME: folder, LC_ALL: "C.UTF-8" };
  const printed = execFileSync(`/bin/${shell}`, ["-c", command], { cwd: folder, env, encoding: "utf8", stdio: "pipe" });
  const calls = readFileSync(log, "utf8").split("\0\n").slice(0, -1);
  return { printed, calls: calls.map((call) => call.split("\0")) };
}

const shells = ["sh", "bash"];

describe.each(shells)(`${hostileNames.length} hostile names, in %s`, (shell) => {
  const expectCall = (asked: Asked, args: readonly string[], printed: unknown) => {
    const command = commandFor(asked);
    if (command === undefined) throw new Error("no command");
    expect(run(shell, command)).toEqual({ printed, calls: [args] });
  };

  it("are each one argument of one program, which finds the file of that name", () => {
    for (const name of hostileNames) writeFileSync(join(folder, name), `needle in ${name}\n`);
    const before = readdirSync(folder);
    for (const name of hostileNames) {
      const content = `needle in ${name}\n`;
      const place = name.startsWith("-") ? `./${name}` : name;
      expectCall(read(name), ["cat", place], content);
      expectCall(readSome(name), ["sed", "-n", "1,1p", place], content);
      expectCall(list(name), ["ls", "-1Ap", place], `${place}\n`);
      const search = ["grep", "-rIHEn", "--exclude-dir=.git", "--exclude-dir=node_modules", "-e", "needle", place];
      expectCall(searchIn(name), search, `${place}:1:${content}`);
    }
    expect(readdirSync(folder)).toEqual(before);
  });

  it("are each one argument as a pattern and as a glob", () => {
    for (const text of hostileNames) {
      writeFileSync(join(folder, "found.txt"), `${text}\nneedle\n`);
      const options = ["--exclude-dir=.git", "--exclude-dir=node_modules"];
      const printed = expect.stringContaining(`./found.txt:1:${text}\n`);
      expectCall(searchFor(text), ["grep", "-rIHFn", ...options, "-e", text, "."], printed);
      const named = commandFor(searchNamed(`*.txt${text}`));
      if (named === undefined) continue; // `{a,b}` and the like that have no equal
      rmSync(join(folder, "found.txt"));
      writeFileSync(log, "");
      expect(() => run(shell, named)).toThrow(); // nothing is found
      expect(readFileSync(log, "utf8").match(/^grep\0/gm)).toHaveLength(1);
      expect(readFileSync(log, "utf8").match(/\0\n/g)).toHaveLength(1);
      expect(readdirSync(folder)).toEqual([]);
    }
  });
});

it.each(refusedTexts)("%j becomes no command, wherever it stands", (text) => {
  const asked = [read(text), readSome(text), list(text), searchIn(text), searchFor(text), searchNamed(text)];
  expect(asked.map(commandFor)).toEqual(asked.map(() => undefined));
});

describe("the commands", () => {
  it("are served only by a shell of Unix, and only where no tool reads files", () => {
    const name = (...tools: Parameters<typeof mapNativeExec>[1]) => mapNativeExec(execOf(read("a")), tools)?.name;
    const bash = offered("bash", "command!");
    expect(name(bash)).toBe("bash");
    expect(name(bash, offered("read_lines", "path!"))).toBe("bash");
    expect(name(bash, offered("str_replace_based_edit_tool", "command! path!"))).toBeUndefined();
    expect(name(offered("shell", "command!", {}, "Runs a Powershell command (Windows)."))).toBeUndefined();
    expect(name(offered("exec_command", "cmd!", { cmd: "A command line for cmd.exe" }))).toBeUndefined();
  });

  it.each([
    [{ pattern: "a\\d+\\s*\\(", path: "src" }, ["a1  ("]],
    [{ pattern: "(?:one|two)\\b", path: "src" }, ["one two"]],
    [{ pattern: "^[\\w.\\-\\]]+?$", path: "src" }, ["x-y]", "ONE"]],
    [{ pattern: "^\\D*$", path: "src" }, ["one two", "x-y]", "ONE"]],
    [{ pattern: "one", path: "src", caseInsensitive: true, glob: "**/*.{txt,md}" }, ["one two", "ONE"]],
    [{ pattern: "(?i)one" }, undefined],
    [{ pattern: "\\p{L}" }, undefined],
    [{ pattern: "[a&&b]" }, undefined],
    [{ pattern: "^[^\\]]*\\($", path: "src" }, ["a1  ("]],
    [{ pattern: "[[:alpha:]]" }, undefined],
    [{ pattern: "[a" }, undefined],
    [{ pattern: "[\\[a]" }, undefined],
    [{ pattern: "[\\x41]" }, undefined],
    [{ pattern: "a.b", multiline: true }, undefined],
    [{ pattern: "one", glob: "src/*.ts" }, undefined],
    [{ pattern: "one", glob: "!*.ts" }, undefined],
  ])("search with grep for what ripgrep would find: %j", (value, lines) => {
    mkdirSync(join(folder, "src/node_modules"), { recursive: true });
    const text = ["a1  (", "one two", "x-y]", "ONE"];
    for (const name of ["src/a.txt", "src/node_modules/a.txt"]) writeFileSync(join(folder, name), text.join("\n"));
    const command = commandFor({ case: "grepArgs", value });
    expect(command === undefined).toBe(lines === undefined);
    if (command === undefined) return;
    const found = run("sh", command).printed.trimEnd().split("\n");
    expect(found).toEqual(lines?.map((line) => `src/a.txt:${text.indexOf(line) + 1}:${line}`));
  });
});
