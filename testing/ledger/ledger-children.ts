import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import type { LedgerReader } from "../../packages/meter/ledger/index.js";
import type * as programs from "./child-program.js";

const stdio = ["ignore", "pipe", "inherit"] as const satisfies StdioOptions;

/** The output of a child, once it has ended. */
export async function saidBy(child: ChildProcess): Promise<string> {
  let text = "";
  child.stdout?.on("data", (chunk) => (text += chunk));
  const [code] = await once(child, "close");
  return code === 0 ? text : `The child ended with ${code}.`;
}

/** Programs that write to ledgers in processes of their own, and their output. */
export class LedgerChildren {
  readonly base = mkdtempSync(join(tmpdir(), "curlew-ledger-processes-"));
  readonly #program = join(this.base, "program.js");
  readonly #children = new Set<ChildProcess>();

  async build(): Promise<void> {
    const entry = join(this.base, "entry.js");
    const source = fileURLToPath(new URL("./child-program.ts", import.meta.url));
    writeFileSync(
      entry,
      `import * as programs from ${JSON.stringify(source)};\nawait programs[process.argv[2]](...process.argv.slice(3));\n`,
    );
    await build({ input: entry, platform: "node", output: { file: this.#program, format: "esm" } });
    const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));
    symlinkSync(packages, join(this.base, "node_modules"), "junction");
  }

  close(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    rmSync(this.base, { recursive: true });
  }

  start(name: keyof typeof programs, ...args: readonly string[]): ChildProcess {
    return this.#watch(spawn(process.execPath, [this.#program, name, ...args], { stdio: [...stdio] }));
  }

  /** Starts a program whose files are limited to this many blocks. */
  startLimited(blocks: number, name: keyof typeof programs, ...args: readonly string[]): ChildProcess {
    const limited = ["-c", `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath, this.#program, name, ...args];
    return this.#watch(spawn("sh", limited, { stdio: ["ignore", "pipe", "ignore"] }));
  }

  #watch(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    return child;
  }

  /** Starts a program and kills it after this many lines of output. Resolves to all lines. */
  async playUntilKilled(home: string, name: string, lines: number): Promise<string[]> {
    const child = this.start("playForever", home, name);
    const gone = once(child, "exit");
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
      said.push(line);
      if (said.length === lines) child.kill("SIGKILL");
    }
    await gone;
    return said;
  }
}

/** The state of every request that programs have reported. */
export class SaidRequests {
  readonly received = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #abandoned = new Set<string>();

  add(lines: readonly string[]): void {
    for (const line of lines) {
      const [what, id = ""] = line.split(" ");
      if (what === "received") this.received.add(id);
      if (what === "ended") this.#ended.add(id);
      if (what === "abandoned") this.#abandoned.add(id);
    }
  }

  /**
   * The faults of the ledger. A program may be killed before it reports what the ledger has recorded, so there may be one more
   * request for each kill, and an unreported end or estimate.
   */
  faultsIn(reader: LedgerReader, kills: number): string[] {
    const entries = reader.entries({ limit: 10_000_000 });
    const faults: string[] = [];
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    if (byId.size < entries.length) faults.push(`${entries.length - byId.size} entries too many`);
    if (byId.size > this.received.size + kills) faults.push(`${byId.size - this.received.size} were never received`);
    for (const id of this.received) {
      const entry = byId.get(id);
      if (entry === undefined) faults.push(`${id} is missing`);
      else if (this.#ended.has(id) && entry.outcome !== "ok") faults.push(`${id} is ${entry.outcome}`);
      else if (this.#abandoned.has(id) && entry.tokens?.estimated !== true) faults.push(`${id} has no estimate`);
    }
    let input = 0;
    let turns = 0;
    for (const { tokens } of entries) {
      input += tokens?.input ?? 0;
      turns += tokens === null ? 0 : 1;
    }
    for (const span of ["hour", "day"] as const) {
      const sums = { requests: 0, turns: 0, input: 0 };
      for (const rollUp of reader.rollUps(span, 0, Date.now() + 1)) {
        sums.requests += rollUp.requests;
        sums.turns += rollUp.turns;
        sums.input += rollUp.tokens.input;
      }
      if (sums.requests !== entries.length) faults.push(`${sums.requests} requests by ${span}, not ${entries.length}`);
      if (sums.turns !== turns) faults.push(`${sums.turns} turns by ${span}, not ${turns}`);
      if (sums.input !== input) faults.push(`${sums.input} tokens by ${span}, not ${input}`);
    }
    return faults;
  }
}
