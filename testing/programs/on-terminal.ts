import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";
import { emptyMachine, mainFile } from "./curlew-process.js";

/** The `script` of util-linux, which runs a command on a terminal of its own. */
export const hasScript = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

export const keys = { enter: "\r", down: "\u001B[B", up: "\u001B[A", space: " ", ctrlC: "\u0003" } as const;

export interface PersonAtTerminal {
  /** Waits until this has been shown since the last keys. Returns what has. */
  until(expected: string | RegExp): Promise<string>;
  press(...pressed: string[]): void;
  /** Everything that has been shown, without what only moves the cursor or colours the text. */
  shown(): string;
  /** The exit code of the command. */
  readonly ended: Promise<number | null>;
}

/** The built command on a terminal of 100 columns, and the person before it. */
export function curlewOnTerminal(args: readonly string[], env: Readonly<Record<string, string>>): PersonAtTerminal {
  const command = `stty cols 100 rows 50; exec ${process.execPath} ${mainFile} ${args.join(" ")}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    env: { ...emptyMachine(), TERM: "xterm", ...env },
  });
  onTestFinished(() => void child.kill("SIGTERM"));
  let text = "";
  let since = 0;
  const looks = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    for (const look of looks) look();
  });
  const ended = once(child, "close").then(([code]: (number | null)[]) => code ?? null);
  const shown = (from = 0) => stripVTControlCharacters(text.slice(from)).replaceAll("\r", "");
  return {
    ended,
    shown: () => shown(),
    press(...pressed) {
      since = text.length;
      for (const each of pressed) child.stdin.write(each);
    },
    until(expected) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const now = shown(since);
          if (typeof expected === "string" ? !now.includes(expected) : !expected.test(now)) return;
          looks.delete(look);
          resolve(now);
        };
        looks.add(look);
        look();
        ended.then((code) => reject(new Error(`curlew ended with ${code} before ${expected}:\n${shown()}`)));
      });
    },
  };
}
