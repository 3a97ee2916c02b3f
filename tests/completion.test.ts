import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mainFile, runCurlew } from "../testing/programs/curlew-process.js";

/** An environment without the user's own settings. */
const machine = { PATH: process.env.PATH ?? "", HOME: tmpdir() };
const zshDriver = fileURLToPath(new URL("zsh-completion.zsh", import.meta.url));

function isThere(shell: string): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}

const folder = mkdtempSync(join(tmpdir(), "curlew-completion-"));
const scriptFile = (shell: string) => join(folder, `curlew.${shell}`);

beforeAll(async () => {
  const made = ["bash", "zsh", "fish", "powershell"].map(async (shell) => {
    const { stdout } = await promisify(execFile)(process.execPath, [mainFile, "completion", shell], { env: machine });
    writeFileSync(scriptFile(shell), stdout);
  });
  await Promise.all(made);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function output(command: string, args: readonly string[]): string[] {
  const options = { env: machine, encoding: "utf8" } as const;
  return execFileSync(command, args, options)
    .split("\n")
    .filter((line) => line !== "");
}

/** A shell function in place of the installed command. */
const curlew = `curlew() { "${process.execPath}" "${mainFile}" "$@"; }`;

/** Typed lines with their completions. */
const lines: [typed: string, offered: string[]][] = [
  ["curlew us", ["usage"]],
  ["curlew log", ["login", "logout", "logs"]],
  ["curlew doctor --li", ["--live"]],
  ["curlew serve --log-level ", ["silent", "fatal", "error", "warn", "info", "debug", "trace"]],
  ["curlew ask --backend si", ["simulator"]],
  ["curlew config c", ["check"]],
  ["curlew keys r", ["revoke"]],
  ["curlew keys add laptop --day-r", ["--day-requests"]],
  ["curlew serve --no-max", ["--no-max-mode"]],
  ["curlew serve --max-mode f", ["false"]],
  ["curlew simulate --transport ", ["h2", "h1"]],
  ["curlew completion z", ["zsh"]],
  ["curlew help do", ["doctor"]],
];

describe("bash", () => {
  const complete = (typed: string) => {
    const words = typed
      .split(" ")
      .map((word) => `'${word}'`)
      .join(" ");
    const code = `${curlew}; source "$0"; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _curlew; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return output("bash", ["-c", code, scriptFile("bash")]);
  };

  it.each(lines)("completes %j", (typed, offered) => {
    expect(complete(typed)).toEqual(offered);
  });

  it("leaves files to the shell", () => {
    expect(complete(`curlew serve --config ${folder}/curlew.f`)).toEqual([scriptFile("fish")]);
  });

  it("completes the flags of serve when no command is given", () => {
    expect(complete("curlew --disabled")).toEqual(["--disabled-quirks"]);
  });

  it("completes a value after the equals sign", () => {
    expect(complete("curlew serve --log-level = w")).toEqual(["warn"]);
  });

  it("registers the function", () => {
    expect(output("bash", ["-c", 'source "$0"; complete -p curlew', scriptFile("bash")])).toEqual([
      "complete -o bashdefault -F _curlew curlew",
    ]);
  });
});

describe.skipIf(!isThere("fish"))("fish, where it is installed", () => {
  it.each(lines)("completes %j", (typed, offered) => {
    const code = `function curlew; "${process.execPath}" "${mainFile}" $argv; end; source $argv[1]; complete -C ${JSON.stringify(typed)}`;
    const found = output("fish", ["--no-config", "-c", code, scriptFile("fish")]).map((line) => line.split("\t")[0]);
    expect(found.toSorted()).toEqual(offered.toSorted());
  });
});

describe.skipIf(!isThere("zsh"))("zsh, where it is installed", () => {
  it.each(lines.filter(([, offered]) => offered.length === 1))("completes %j", (typed, [offered]) => {
    const [line] = output("zsh", ["-f", zshDriver, scriptFile("zsh"), typed, curlew]);
    expect(line?.trimEnd()).toBe(typed.replace(/\S*$/, offered ?? ""));
  });
});

describe("curlew completion", () => {
  it("writes a script for PowerShell", () => {
    const powershell = readFileSync(scriptFile("powershell"), "utf8");
    expect(powershell).toContain("Register-ArgumentCompleter -Native -CommandName curlew");
    expect(powershell.split("{").length).toBe(powershell.split("}").length);
  });

  it.each([
    ["zsh", [".us"], "usage:Show what is left of your plan and what clients used\n"],
    ["fish", ["serve", ".--log-level=w"], "--log-level=warn\n"],
    ["powershell", ["keys", ".rev"], "revoke\tRevoke a key\n"],
    ["fish", ["serve", "--config", ".a"], ":files\n"],
    ["fish", ["nothing", "."], ""],
  ])("answers the script of %s: %j", async (shell, words, answer) => {
    expect(await runCurlew(["__complete", shell, ...words])).toEqual({ code: 0, stdout: answer, stderr: "" });
  });

  it.each([
    [[], ""],
    [["tcsh"], "There is no completion for tcsh. "],
  ])("requires one known shell: %j", async (args, unknown) => {
    expect(await runCurlew(["completion", ...args])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `curlew: ${unknown}Name one shell: curlew completion bash|zsh|fish|powershell\n`,
    });
  });
});
