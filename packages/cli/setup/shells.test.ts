import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { assignment, likelyShell, posixWord } from "./shells.js";

const nasty = "a b'c\"d$HOME`id`;&|\\e";

describe("a variable", () => {
  it.each([
    ["posix", "export X=http://127.0.0.1:1/v1", `export X='a b'\\''c"d$HOME\`id\`;&|\\e'`, 'export X="$KEY"'],
    ["fish", "set -gx X http://127.0.0.1:1/v1", `set -gx X 'a b\\'c"d$HOME\`id\`;&|\\\\e'`, 'set -gx X "$KEY"'],
    ["powershell", "$env:X = 'http://127.0.0.1:1/v1'", `$env:X = 'a b''c"d$HOME\`id\`;&|\\e'`, "$env:X = $env:KEY"],
    ["cmd", 'set "X=http://127.0.0.1:1/v1"', `set "X=${nasty}"`, 'set "X=%KEY%"'],
    ["nushell", "$env.X = 'http://127.0.0.1:1/v1'", `$env.X = ${JSON.stringify(nasty)}`, "$env.X = $env.KEY"],
  ] as const)("is set by one line of %s", (shell, plain, quoted, copied) => {
    expect(assignment(shell, "X", "http://127.0.0.1:1/v1")).toBe(plain);
    expect(assignment(shell, "X", nasty)).toBe(quoted);
    expect(assignment(shell, "X", { variable: "KEY" })).toBe(copied);
  });

  it.skipIf(process.platform === "win32")("has exactly this value in a real shell", () => {
    const script = `${assignment("posix", "X", nasty)}\n${assignment("posix", "Y", { variable: "KEY" })}\nprintf '%s\\n%s' "$X" "$Y"`;
    const printed = execFileSync("/bin/sh", ["-c", script], { encoding: "utf8", env: { KEY: nasty } });
    expect(printed).toBe(`${nasty}\n${nasty}`);
  });
});

it("a path in a command is quoted only if a shell needs that", () => {
  expect(posixWord("/home/me/.config/curlew")).toBe("/home/me/.config/curlew");
  expect(posixWord("/Users/me/Application Support/it's")).toBe(`'/Users/me/Application Support/it'\\''s'`);
});

describe("the likely shell", () => {
  it.each([
    ["posix", "linux", { SHELL: "/bin/zsh" }],
    ["posix", "darwin", {}],
    ["fish", "linux", { SHELL: "/usr/bin/fish" }],
    ["nushell", "darwin", { SHELL: "/opt/homebrew/bin/nu" }],
    ["powershell", "linux", { SHELL: "/usr/bin/pwsh" }],
    ["powershell", "win32", {}],
    ["cmd", "win32", { PROMPT: "$P$G" }],
    ["posix", "win32", { SHELL: "C:\\Program Files\\Git\\usr\\bin\\bash.exe", PROMPT: "$P$G" }],
  ] as const)("is %s on %s with %j", (shell, platform, env) => {
    expect(likelyShell({ platform, env })).toBe(shell);
  });
});
