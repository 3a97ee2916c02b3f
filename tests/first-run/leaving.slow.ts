import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Person } from "../../testing/terminal/person.js";
import { type Desk, installNothing, openDesk } from "./desk.js";

async function deskAt(options: Parameters<typeof openDesk>[0] = {}): Promise<Desk> {
  const desk = await openDesk(options);
  onTestFinished(() => desk.close());
  installNothing(desk.machine, "opencode");
  return desk;
}

/** The files below the home, without the program's own state and cache. */
function filesIn({ machine: { home } }: Desk): string[] {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  // The file may have been removed in the meantime.
  const isFile = (name: string) => statSync(join(home, name), { throwIfNoEntry: false })?.isFile() === true;
  const files = names.filter((name) => !/(^|\/)(state|\.cache)\//.test(name) && isFile(name));
  return files.sort();
}

/** Runs a command in the shell, checks that the terminal is restored, and returns the exit code. */
async function exitOf(desk: Desk, line: string, play: (person: Person) => Promise<void>): Promise<number> {
  const { person, machine } = desk;
  await person.types(`stty -g > before; ${line}; echo "code=$?"; stty -g > after; echo read`);
  await person.presses("Enter");
  await play(person);
  const screen = await person.sees(/code=\d+\s+read/);
  const [before, after] = ["before", "after"].map((name) => readFileSync(join(machine.workspace, name), "utf8"));
  expect(after).toBe(before);
  await expect.poll(() => person.terminal.cursor()).toBeDefined();
  expect(await person.terminal.isTaken()).toBe(false);
  return Number(/code=(\d+)/.exec(screen)?.[1]);
}

/** The questions in order. Enter answers each. */
const questions = [
  "◆  Sign in to Cursor",
  "Which clients should use Curlew?",
  "Which model should they use?",
  "Write this file?",
  "Start the gateway, and ask a first question?",
];
const credential = [".config/curlew/credentials.json"];
const setUp = [...credential, ".config/opencode/opencode.json"];

describe("Ctrl-C in the guided first run", () => {
  it.each([
    [questions[0], []],
    [questions[1], credential],
    [questions[2], credential],
    [questions[3], credential],
    [questions[4], setUp],
  ])("at %s leaves nothing half-done, and restores the terminal", async (last, files) => {
    const desk = await deskAt();
    const code = await exitOf(desk, "curlew", async (person) => {
      for (const question of questions.slice(0, questions.indexOf(last ?? ""))) {
        await person.sees(question);
        await person.presses("Enter");
      }
      await person.sees(last ?? "");
      await person.presses("C-c");
    });
    expect(code).toBe(130);
    expect(filesIn(desk)).toEqual(files);
  });
});

describe("the guided first run", () => {
  it("can be skipped completely, and then writes nothing", async () => {
    const desk = await deskAt();
    const code = await exitOf(desk, "curlew", async (person) => {
      await person.sees("○ Skip");
      await person.presses("Up");
      await person.sees("● Skip");
      await person.presses("Enter");
      await person.sees("◼ OpenCode (installed)");
      await person.presses("Space");
      await person.sees("◻ OpenCode (installed)");
      await person.presses("Enter");
      await person.sees("● Sign in first", "○ Not now");
      await person.presses("Down", "Down");
      await person.sees("● Not now");
      await person.presses("Enter");
      await person.sees("To start the gateway: curlew");
    });
    expect(code).toBe(0);
    expect(filesIn(desk)).toEqual([]);
  });
});
