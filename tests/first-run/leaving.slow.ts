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

/** The files below the home, without what the program remembers for itself. */
function filesIn({ machine: { home } }: Desk): string[] {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  // A file that has just gone is none.
  const isFile = (name: string) => statSync(join(home, name), { throwIfNoEntry: false })?.isFile() === true;
  const files = names.filter((name) => !/(^|\/)(state|\.cache)\//.test(name) && isFile(name));
  return files.sort();
}

/** Runs a command in the shell and returns its exit code, after the terminal is found to be as it was. */
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

/** The questions in their order. Enter answers each. */
const questions = [
  "◆  Sign in to Cursor",
  "Which clients should use Curlew?",
  "Which model should they ask for?",
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
  ])("at %s leaves nothing half-done, and the terminal as it was", async (last, files) => {
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

  it("while the browser is waited for keeps nothing, and asks again", async () => {
    const desk = await deskAt({ env: { NO_OPEN_BROWSER: "1" } });
    const code = await exitOf(desk, "curlew", async (person) => {
      await person.sees(questions[0] ?? "");
      await person.presses("Enter");
      await person.sees("/loginDeepControl?challenge=");
      await person.presses("C-c");
      await person.sees("The login was canceled. Nothing was kept.", /◆ {2}Sign in to Cursor\n/);
      await person.presses("C-c");
    });
    expect(code).toBe(130);
    expect(filesIn(desk)).toEqual([]);
  });

  it("while it serves ends the gateway", async () => {
    const desk = await deskAt();
    const code = await exitOf(desk, "curlew", async (person) => {
      for (const question of questions) {
        await person.sees(question);
        await person.presses("Enter");
      }
      await person.sees("Its requests follow here.");
      await person.presses("C-c");
    });
    expect(code).toBe(0);
    await expect(fetch(`${desk.url}/health`)).rejects.toThrow();
  });
});

describe("the guided first run", () => {
  it("can be skipped from beginning to end, and writes nothing then", async () => {
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

  it("asks again after a sign-in that failed", async () => {
    const desk = await deskAt();
    desk.simulator.configure({ login: "deny" });
    await exitOf(desk, "curlew", async (person) => {
      await person.sees(questions[0] ?? "");
      await person.presses("Enter");
      await person.sees("Cursor denied the login", /◆ {2}Sign in to Cursor\n/);
      expect(filesIn(desk)).toEqual([]);
      desk.simulator.configure({ login: "wait" });
      await person.presses("Enter");
      await person.sees("Signed in as owner@simulated.example.", questions[1] ?? "");
      await person.presses("C-c");
    });
    expect(filesIn(desk)).toEqual(credential);
  });
});

describe("without a person to ask", () => {
  it.each(["CI=1 curlew", "curlew < /dev/null", "set -o pipefail; curlew 2>&1 | cat"])(
    "%s names the commands instead, and ends",
    async (line) => {
      const desk = await deskAt();
      const code = await exitOf(desk, line, async (person) => {
        await person.sees("curlew login ", "curlew setup CLIENT ");
      });
      expect(code).toBe(1);
      expect(await desk.person.terminal.screen()).not.toContain("◆");
      expect(filesIn(desk)).toEqual([]);
    },
  );

  it.each(["curlew serve", "curlew --json", "curlew --port 0"])(
    "%s ends with the message that it had",
    async (line) => {
      const desk = await deskAt();
      const code = await exitOf(desk, line, async (person) => {
        await person.sees("No Cursor credential was found.");
      });
      expect(code).toBe(1);
      expect(await desk.person.terminal.screen()).not.toContain("◆");
      expect(filesIn(desk)).toEqual([]);
    },
  );
});
