import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { findProgram } from "../programs/find-program.js";

const run = promisify(execFile);

/** How often the screen is polled. */
const LOOK_MS = 25;
/** Only ends what hangs. */
const PATIENCE_MS = 90_000;
/** A screen is complete after this many equal polls. */
const LOOKS_UNTIL_AT_REST = 4;

export interface TerminalOptions {
  /** The shell in it, or another program. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Cursor {
  readonly row: number;
  readonly column: number;
}

/** tmux's names of the keys. */
export type Key = "Enter" | "Up" | "Down" | "Left" | "Right" | "Space" | "Escape" | "C-c" | "C-d";

interface Pane {
  readonly tmux: string;
  /** Holds tmux's socket. */
  readonly folder: string;
  readonly id: string;
}

/** A real terminal for a program, as tmux has them, and the keys of the person before it. */
export class Terminal {
  /** Every key that was pressed, one by one; typed text is not among them. */
  readonly presses: Key[] = [];
  readonly #pane: Pane;

  private constructor(pane: Pane) {
    this.#pane = pane;
  }

  static async open({ command, cwd, env, columns = 100, rows = 30 }: TerminalOptions): Promise<Terminal> {
    const tmux = await findProgram("tmux");
    const folder = mkdtempSync(join(tmpdir(), "curlew-tmux-"));
    const options = {
      "remain-on-exit": "on",
      "default-terminal": "tmux-256color",
      status: "off",
      "escape-time": "0",
      "history-limit": "5000",
    };
    const set = Object.entries(options).flatMap(([name, value]) => ["set", "-g", name, value, ";"]);
    const size = ["-x", String(columns), "-y", String(rows)];
    const started = ["new-session", "-d", "-P", "-F", "#{pane_id}", ...size, "-c", cwd, ...command];
    // The server has the environment of the command that starts it, and so do the programs in it.
    const id = await ask({ tmux, folder }, [...set, ...started], env);
    return new Terminal({ tmux, folder, id: id.trim() });
  }

  /** A second terminal below this one, which gets smaller. */
  async split({ command, cwd, rows }: Pick<TerminalOptions, "command" | "cwd"> & { readonly rows: number }) {
    const made = ["split-window", "-v", "-l", String(rows), "-P", "-F", "#{pane_id}", "-c", cwd, ...command];
    return new Terminal({ ...this.#pane, id: (await this.#ask(made)).trim() });
  }

  /** The text of the screen, without spaces at the ends of its lines. */
  async screen(): Promise<string> {
    return trimmed(await this.#ask(["capture-pane", "-p"]));
  }

  /** Everything that has been on the screen since it was opened. */
  async scrolled(): Promise<string> {
    return trimmed(await this.#ask(["capture-pane", "-p", "-J", "-S", "-"]));
  }

  /** The screen with its escapes, once nothing on it changes any more. */
  async atRest(): Promise<string> {
    let last = "";
    for (let same = 0; same < LOOKS_UNTIL_AT_REST; same += 1) {
      const now = await this.#ask(["capture-pane", "-e", "-N", "-p"]);
      if (now !== last) same = 0;
      last = now;
      await pause(LOOK_MS);
    }
    return last.replace(/\n$/, "");
  }

  /** Waits until the screen shows this. Returns the screen. */
  async until(expected: string | RegExp): Promise<string> {
    const deadlineMs = Date.now() + PATIENCE_MS;
    for (;;) {
      // Checks for the end first: the last output may come just before the end.
      const hasEnded = await this.hasEnded();
      const screen = await this.screen();
      if (typeof expected === "string" ? screen.includes(expected) : expected.test(screen)) return screen;
      if (hasEnded || Date.now() > deadlineMs) {
        const what = hasEnded ? "The program ended" : "Nothing more came";
        throw new Error(`${what} before the screen showed ${expected}. It shows:\n${screen}`);
      }
      await pause(LOOK_MS);
    }
  }

  async press(...keys: Key[]): Promise<void> {
    for (const key of keys) {
      this.presses.push(key);
      await this.#ask(["send-keys", key]);
    }
  }

  async type(text: string): Promise<void> {
    await this.#ask(["send-keys", "-l", "--", text]);
  }

  async hasEnded(): Promise<boolean> {
    return (await this.#tell("#{pane_dead}")) === "1";
  }

  /** Whether a program has taken the whole screen, as editors do. */
  async isTaken(): Promise<boolean> {
    return (await this.#tell("#{alternate_on}")) === "1";
  }

  /** Where the cursor is, counted from 0; undefined while it is hidden. */
  async cursor(): Promise<Cursor | undefined> {
    const [isShown, row = 0, column = 0] = (await this.#tell("#{cursor_flag} #{cursor_y} #{cursor_x}"))
      .split(" ")
      .map(Number);
    return isShown === 1 ? { row, column } : undefined;
  }

  /** Ends the programs in this terminal and in those below it. */
  async close(): Promise<void> {
    await this.#ask(["kill-server"]).catch(() => {}); // it may be over
    rmSync(this.#pane.folder, { recursive: true, force: true });
  }

  async #tell(format: string): Promise<string> {
    return (await this.#ask(["display-message", "-p", format])).trim();
  }

  /** Asks tmux something about this terminal. */
  #ask([command = "", ...args]: readonly string[]): Promise<string> {
    return ask(this.#pane, [command, ...(command === "kill-server" ? [] : ["-t", this.#pane.id]), ...args]);
  }
}

async function ask(
  { tmux, folder }: Pick<Pane, "tmux" | "folder">,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const own = ["-u", "-f", "/dev/null", "-S", join(folder, "socket")];
  const { stdout } = await run(tmux, [...own, ...args], { env, maxBuffer: 16 * 1_048_576 });
  return stdout;
}

function trimmed(screen: string): string {
  return screen.replace(/[^\S\n]+$/gm, "").trimEnd();
}
