import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { capturedMachine } from "../../../../../testing/programs/captured-machine.js";
import { CommandFailure } from "../../../terminal/print.js";
import { type ArgsDef, type Command, type CommandGroup, command, defineCommand, subCommand } from "../definition.js";
import { runLine } from "./run-line.js";

/** The arguments that a command with these options gets for a line. */
async function given(args: ArgsDef, line: readonly string[], passesOn = false) {
  let seen: unknown;
  const sing = defineCommand({
    args,
    passesOn,
    run({ args: parsed }) {
      seen = parsed;
      return 3;
    },
  });
  const exitCode = await runLine(
    [command("sing", "Birds", "Sing", async () => ({ sing }))],
    ["sing", ...line],
    capturedMachine(),
  );
  expect(exitCode).toBe(3);
  return seen;
}

const song = {
  title: { type: "positional", description: "What to sing" },
  loud: { type: "boolean", alias: "l", description: "Be heard" },
  bird: { type: "string", default: "curlew", description: "Who sings" },
  "no-open": { type: "boolean", description: "Keep the beak closed" },
  "max-mode": { type: "switch", description: "Cost more", variable: "CURLEW_MAX_MODE" },
} as const;

describe("the words of a line", () => {
  it.each([
    [[], { bird: "curlew" }],
    [["a"], { title: "a", _: ["a"], bird: "curlew" }],
    [["-l", "--bird=ruff"], { loud: true, bird: "ruff" }],
    [["--bird", "ruff", "--no-open"], { bird: "ruff", "no-open": true }],
    [["--bird=--loud"], { bird: "--loud" }],
    [["--", "--loud"], { title: "--loud", loud: undefined }],
    [["--max-mode"], { "max-mode": "true" }],
    [["--no-max-mode"], { "max-mode": "false" }],
    [["--max-mode", "true"], { "max-mode": "true" }],
    [["--max-mode", "false"], { "max-mode": "false" }],
    [["--max-mode=false"], { "max-mode": "false" }],
    [["--max-mode", "--loud"], { "max-mode": "true", loud: true }],
    [["--max-mode", "a"], { "max-mode": "true", title: "a", _: ["a"] }],
    [["--", "--max-mode"], { title: "--max-mode", "max-mode": undefined }],
  ])("%j become values", async (line, values) => {
    expect(await given(song, line)).toMatchObject(values);
  });

  it("after the first belong to the other program, if the command starts one", async () => {
    expect(await given(song, ["--max-mode", "claude", "--max-mode", "--help", "--", "x"], true)).toMatchObject({
      "max-mode": "true",
      bird: "curlew",
      _: ["claude", "--max-mode", "--help", "--", "x"],
    });
  });
});

const json = { type: "boolean", description: "Print JSON" } as const;
const ends: string[] = [];
const nests: CommandGroup = {
  usual: "list",
  subCommands: {
    list: subCommand("List them", { args: { json }, run: () => void ends.push("list") }),
    build: subCommand("Build one", {
      args: { place: { type: "positional", required: true, description: "Where" }, json },
      run({ args: { place } }) {
        throw new CommandFailure(1, `The ${place} is flooded.`);
      },
    }),
  },
};
const all: readonly Command[] = [
  command("nests", "Birds", "Nests", async () => ({ nests })),
  command("run", "Birds", "Run", async () => ({
    run: defineCommand({
      passesOn: true,
      args: {},
      run() {
        throw new CommandFailure(1, "It is not installed.");
      },
    }),
  })),
];

describe("a command with subcommands", () => {
  it("runs the default one if none is named", async () => {
    await runLine(all, ["nests"], capturedMachine());
    await runLine(all, ["nests", "list", "--json"], capturedMachine());
    expect(ends.splice(0)).toEqual(["list", "list"]);
  });

  it.each([
    [["nests", "biuld"], "Unknown command nests biuld. Did you mean build?\nSee: curlew nests --help"],
    [["nests", "build"], "Missing argument: place.\nUsage: curlew nests build [options] <place>"],
    [["nests", "--json", "build", "x"], "Options come after the command: curlew nests build [options]"],
    [["nests", "list", "x"], 'Unexpected argument "x".\nSee: curlew nests list --help'],
    [["nsets"], "Unknown command nsets. Did you mean nests?\nSee: curlew --help"],
    [["hepl"], "Unknown command hepl. Did you mean help?"],
  ])("refuses %j", async (line, message) => {
    await expect(runLine(all, line, capturedMachine())).rejects.toThrow(message);
  });
});

describe("a key on the command line", () => {
  const secrets = [
    "crsr_0123456789abcdef",
    "curlew_0123456789abcdefghij",
    "sk-ant-0123456789",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    "0123456789abcdef0123456789abcdef0123456789abcdef",
  ];
  const login = defineCommand({ args: { "api-key": { type: "boolean", description: "" } }, run: () => 0 });
  const program = [command("login", "Birds", "Sign in", async () => ({ login }))];

  it.each(secrets.flatMap((secret) => [[[secret]], [["login", "--api-key", secret]], [["login", `--key=${secret}`]]]))(
    "is refused and never echoed: %j",
    async (line) => {
      const failure = await runLine(program, line, capturedMachine()).catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ exitCode: 2 });
      for (const secret of secrets) expect(String(failure)).not.toContain(secret);
    },
  );

  it("is refused with a hint where to enter it", async () => {
    await expect(runLine(program, ["login", "--api-key", secrets[0] ?? ""], capturedMachine())).rejects.toThrow(
      /^Keys are not taken from the command line, where others can read them\. Run curlew login --api-key and paste it at the prompt\.$/,
    );
  });
});

describe("a failure", () => {
  it.each([
    [["nests", "build", "marsh", "--json"], '{"error":{"message":"The marsh is flooded."}}\n'],
    [["nests", "--json", "biuld"], /^\{"error":\{"message":"Unexpected argument/],
    [["nests", "build", "marsh"], ""],
    [["run", "claude", "--json"], ""],
  ])("is JSON if requested: %j", async (line, printed) => {
    const shown = capturedMachine();
    await expect(runLine(all, line, shown)).rejects.toThrow(CommandFailure);
    if (typeof printed === "string") expect(stripVTControlCharacters(shown.stdout.text)).toBe(printed);
    else expect(stripVTControlCharacters(shown.stdout.text)).toMatch(printed);
  });
});

describe("help", () => {
  const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));
  const about = `${"Some words about it that go on for a while ".repeat(6)}and end`;
  const wordy = defineCommand({ args: { fly: { type: "boolean", description: about } }, run: () => 0 });
  const program = [command("wordy", "Birds", "Wordy", async () => ({ wordy }))];

  it.each([
    [undefined, 80],
    [60, 60],
    [80, 80],
    [100, 100],
    [200, 100],
  ])("on a terminal of %s columns is at most %i wide, and nearly so", async (columns, width) => {
    const shown = capturedMachine({ columns });
    expect(await runLine(program, ["wordy", "--help"], shown)).toBe(0);
    expect(widest(stripVTControlCharacters(shown.stdout.text))).toBeLessThanOrEqual(width);
    expect(widest(stripVTControlCharacters(shown.stdout.text))).toBeGreaterThan(width - 12);
  });

  it.each([[["--help"]], [["-h"]], [["--fly", "--help"]], [["--walk", "--help"]]])(
    "comes before anything else: %j",
    async (line) => {
      const shown = capturedMachine();
      expect(await runLine(program, ["wordy", ...line], shown)).toBe(0);
      expect(stripVTControlCharacters(shown.stdout.text)).toContain("Usage: curlew wordy [options]\n");
    },
  );

  it("lists subcommands with --help all", async () => {
    const [short, long] = [capturedMachine(), capturedMachine()];
    await runLine(all, ["--help"], short);
    await runLine(all, ["--help", "all"], long);
    expect(stripVTControlCharacters(short.stdout.text)).not.toContain("nests build");
    expect(stripVTControlCharacters(long.stdout.text)).toMatch(
      /^Birds:\n {2}nests +Nests\n {2}nests list +List them\n {2}nests build +Build one\n/m,
    );
  });
});
