import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, onTestFinished } from "vitest";
import type { Scenario } from "../../packages/simulator/cli/scenario.js";
import { type InstalledCli, installFakeCli } from "./installed-cli.js";

/** Runs the command in an empty environment. */
export interface CliStand {
  readonly cli: InstalledCli;
  /** A workspace and data folder for this call alone. */
  machine(): Machine;
}

export interface Machine {
  readonly workspace: string;
  readonly data: string;
  start(args: readonly string[], env?: Record<string, string>): ChildProcessWithoutNullStreams;
  /** Runs it to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly scenario?: Partial<Scenario>;
  readonly env?: Record<string, string>;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Called once at the top of a test file. */
export async function setUpCli(): Promise<CliStand> {
  const cli = await installFakeCli();
  afterAll(() => rmSync(cli.folder, { recursive: true, force: true }));
  return {
    cli,
    machine() {
      const folder = realpathSync(mkdtempSync(join(cli.folder, "machine-")));
      const workspace = join(folder, "ws");
      const data = join(folder, "data");
      mkdirSync(workspace);
      const start: Machine["start"] = (args, env = {}) => {
        const child = spawn(cli.command, args, {
          cwd: workspace,
          env: { PATH: process.env.PATH, HOME: folder, CURSOR_DATA_DIR: data, ...env },
          detached: true,
        });
        onTestFinished(() => killGroup(child.pid));
        return child;
      };
      return {
        workspace,
        data,
        start,
        async run(args, { stdin = "", scenario = {}, env = {} } = {}) {
          cli.setScenario(scenario);
          const child = start(args, env);
          const texts = [text(child.stdout), text(child.stderr)] as const;
          // A command that does not read its input is not a failure of the test.
          child.stdin.on("error", () => {}).end(stdin);
          const [code, signal] = (await once(child, "close")) as [number | null, string | null];
          const [stdout, stderr] = await Promise.all(texts);
          return { code, signal, stdout, stderr };
        },
      };
    },
  };
}

/** Ends the command and its children. */
function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch {
    // no process is left
  }
}
