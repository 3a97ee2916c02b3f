import { describe, expect, it } from "vitest";
import { commands } from "../packages/cli/commands/commands.js";
import {
  BESIDE,
  type Command,
  type CommandDefinition,
  type Example,
  isCommandGroup,
} from "../packages/cli/commands/line/definition.js";
import { runLine } from "../packages/cli/commands/line/parser/run-line.js";
import { capturedMachine } from "../testing/programs/captured-machine.js";
import { runCurlew } from "../testing/programs/curlew-process.js";
import { helpOf } from "./guide/help-texts.js";

interface Known {
  readonly words: readonly string[];
  readonly examples: readonly Example[];
}

const known = (await Promise.all(commands.map(describeCommand))).flat();

/** A command and its subcommands. */
async function describeCommand({ name, load }: Command): Promise<Known[]> {
  const loaded = await load();
  if (!isCommandGroup(loaded)) return [{ words: [name], examples: loaded.examples ?? [] }];
  const below = Object.entries(loaded.subCommands).map(([word, { definition }]): Known => {
    return { words: [name, word], examples: definition.examples ?? [] };
  });
  return [{ words: [name], examples: loaded.examples ?? [] }, ...below];
}

const MAX_LINES = 40;
const MAX_OPTIONS = 12;
const MAX_COMMANDS = 18;
const WIDTH = 80;
const lines = (text: string) => text.trimEnd().split("\n");
/** Text that code prints by mistake, and markup that belongs in the guide. */
const internal = /\[object|undefined|NaN|null\b|=>|`|\]\(/;

describe.each(known)("the help of curlew $words", ({ words }) => {
  it("fits one screen", async () => {
    const help = await helpOf(commands, [...words, "--help"]);
    expect(lines(help).length).toBeLessThanOrEqual(MAX_LINES);
    expect(lines(help).filter((line) => line.length > WIDTH)).toEqual([]);
    expect(lines(help).filter((line) => /^ {2}-/.test(line)).length).toBeLessThanOrEqual(MAX_OPTIONS);
    expect(help).not.toMatch(internal);
    expect(lines(help).at(-1)).toBe(`Guide: docs/guide/commands.md#${["curlew", ...words].join("-")}`);
  });
});

describe.each(known)("the examples of curlew $words", ({ words, examples }) => {
  it("exist", () => expect(examples.length).toBeGreaterThan(0));

  it.each(examples)("%s", async (line) => {
    const [, typed = ""] = /(?:^|\| )curlew (.*?)(?: > .*)?$/.exec(`${line} `) ?? [];
    const parts = [...typed.trim().matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
    expect(parts.slice(0, words.length)).toEqual(words.slice(0, parts.length));
    const started: string[][] = [];
    await runLine(
      commands.map((command) => withoutDoing(command, (args) => void started.push([...args]))),
      parts,
      capturedMachine(),
    );
    expect(started).toHaveLength(1);
  });
});

/** The command with a run function that only records its words. */
function withoutDoing(command: Command, onRun: (words: readonly string[]) => void): Command {
  const quiet = (definition: CommandDefinition): CommandDefinition => ({
    ...definition,
    run: ({ args }) => onRun(args._),
  });
  return {
    ...command,
    async load() {
      const loaded = await command.load();
      if (!isCommandGroup(loaded)) return quiet(loaded);
      const subCommands = Object.entries(loaded.subCommands).map(([name, { about, definition }]) => [
        name,
        { about, definition: quiet(definition) },
      ]);
      return { ...loaded, subCommands: Object.fromEntries(subCommands) };
    },
  };
}

describe("the help of the program", () => {
  it("fits one screen, and lists every command except those of the group beside", async () => {
    const { stdout } = await runCurlew(["--help"]);
    expect(lines(stdout).length).toBeLessThanOrEqual(MAX_LINES);
    expect(lines(stdout).filter((line) => line.length > WIDTH)).toEqual([]);
    const listed = commands.filter(({ group }) => group !== BESIDE);
    expect(listed.length).toBeLessThanOrEqual(MAX_COMMANDS);
    for (const { name } of commands)
      expect([name, stdout.includes(`\n  ${name} `)]).toEqual([name, listed.some((each) => each.name === name)]);
  });

  it("is the same through the help command", async () => {
    const all = (await runCurlew(["--help", "all"])).stdout;
    expect(all).toMatch(/^ {2}keys add {2,}\w/m);
    for (const { name } of commands) expect(all).toContain(`\n  ${name} `);
    expect(await runCurlew(["help", "all"])).toMatchObject({ code: 0, stdout: all });
    const serve = (await runCurlew(["serve", "--help", "all"])).stdout;
    expect(await runCurlew(["help", "serve", "all"])).toMatchObject({ code: 0, stdout: serve });
  });

  it.each([
    [{ FORCE_COLOR: "1" }, true],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false],
    [{}, false],
  ])("is coloured in a pipe with %j: %s", async (env, isColored) => {
    const { stdout } = await runCurlew(["serve", "--help"], { env });
    expect(stdout.includes("\u001B[1mOptions:\u001B[22m")).toBe(isColored);
    expect(stdout.includes("\u001B")).toBe(isColored);
  });
});

describe("a failure with --json", () => {
  it.each([
    [["models", "--json"], 1, { code: "credential_missing", message: expect.stringContaining("No Cursor credential") }],
    [["models", "--json", "--bakend", "x"], 2, { message: expect.stringContaining("Did you mean --backend?") }],
  ])("is JSON on stdout and a sentence on stderr: %j", async (args, code, error) => {
    const result = await runCurlew(args);
    expect(result.code).toBe(code);
    const printed: { error: { message: string } } = JSON.parse(result.stdout);
    expect(printed).toEqual({ error });
    expect(result.stderr).toBe(`curlew: ${printed.error.message}\n`);
  });
});
