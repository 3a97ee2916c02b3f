import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Simulator } from "../../packages/simulator/index.js";
import { freePort } from "../../testing/network/local-server.js";
import { startSimulator } from "../../testing/simulator/strict-simulator.js";
import { type NewMachine, newMachine } from "../../testing/terminal/new-machine.js";
import { Person } from "../../testing/terminal/person.js";
import type { Film } from "../../testing/terminal/recording/film.js";
import { Terminal } from "../../testing/terminal/terminal.js";

const shell = ["bash", "--norc", "--noprofile"];

export interface Desk {
  readonly machine: NewMachine;
  readonly simulator: Simulator;
  /** The future address of the gateway. */
  readonly url: string;
  /** At a shell in an empty folder. */
  readonly person: Person;
  /** A second terminal, below the first. */
  another(rows: number): Promise<Person>;
  /** Runs one of Curlew's commands beside the terminals, and returns what it prints. */
  curlew(...args: string[]): Promise<string>;
  close(): Promise<void>;
}

interface DeskOptions {
  /** Folders of the installed programs. */
  readonly programs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly size?: { readonly columns: number; readonly rows: number };
  readonly film?: Film;
}

/** A new machine with a user at its terminal, and a simulated Cursor that waits for confirmation in the browser. */
export async function openDesk({ programs = [], env = {}, size, film }: DeskOptions = {}): Promise<Desk> {
  const simulator = await startSimulator({ login: "wait" });
  const port = await freePort();
  const cursor = { CURSOR_BACKEND_URL: simulator.url, CURSOR_WEBSITE_URL: simulator.url };
  const machine = newMachine(programs, { ...cursor, PORT: String(port), ...env });
  const start = { command: shell, cwd: machine.workspace };
  const terminal = await Terminal.open({ ...start, env: machine.env, ...size });
  await terminal.until("$");
  return {
    machine,
    simulator,
    url: `http://127.0.0.1:${port}`,
    person: new Person(terminal, film),
    another: async (rows) => {
      const second = await terminal.split({ ...start, rows });
      await second.until("$");
      return new Person(second, film);
    },
    curlew: async (...args) => {
      const { stdout } = await promisify(execFile)(join(machine.bin, "curlew"), args, { env: machine.env });
      return stdout;
    },
    async close() {
      await terminal.close();
      await simulator.close();
      await machine.remove();
    },
  };
}

/** Installs an empty program, for code that only checks its presence. */
export function installNothing(machine: NewMachine, name: string): void {
  const path = join(machine.bin, name);
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
}
