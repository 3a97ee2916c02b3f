import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../packages/cli/run-program.js";
import { capturedMachine } from "../testing/programs/captured-machine.js";
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
    const printing = capturedMachine();
    await runProgram(["completion", shell], printing);
    writeFileSync(scriptFile(shell), printing.stdout.text);
  });
  await Promise.all(made);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function output(command: string, args: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(command, args, { env: machine });
  return stdout.split("\n").filter((line) => line !== "");
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

  it.each(lines)("completes %j", async (typed, offered) => {
    expect(await complete(typed)).toEqual(offered);
  });

  it("leaves files to the shell", async () => {
    expect(await complete(`curlew serve --config ${folder}/curlew.f`)).toEqual([scriptFile("fish")]);
  });

  it("completes the flags of serve when no command is given", async () => {
    expect(await complete("curlew --disabled")).toEqual(["--disabled-quirks"]);
  });

  it("completes a value after the equals sign", async () => {
    expect(await complete("curlew serve --log-level = w")).toEqual(["warn"]);
  });

  it("registers the function", async () => {
    expect(await output("bash", ["-c", 'source "$0"; complete -p curlew', scriptFile("bash")])).toEqual([
      "complete -o bashdefault -F _curlew curlew",
    ]);
  });
});

describe.skipIf(!isThere("fish"))("fish, where it is installed", () => {
  it.each(lines)("completes %j", async (typed, offered) => {
    const code = `function curlew; "${process.execPath}" "${mainFile}" $argv; end; source $argv[1]; complete -C ${JSON.stringify(typed)}`;
    const printed = await output("fish", ["--no-config", "-c", code, scriptFile("fish")]);
    const found = printed.map((line) => line.split("\t")[0]);
    expect(found.toSorted()).toEqual(offered.toSorted());
  });
});

describe.skipIf(!isThere("zsh"))("zsh, where it is installed", () => {
  it.each(lines.filter(([, offered]) => offered.length === 1))("completes %j", async (typed, [offered]) => {
    const [line] = await output("zsh", ["-f", zshDriver, scriptFile("zsh"), typed, curlew]);
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
