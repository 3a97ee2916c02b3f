import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as programs from "../../../testing/store/child-programs.js";
import { openEmbeddedStore } from "./lmdb/embedded.js";

const base = mkdtempSync(join(tmpdir(), "curlew-store-processes-"));
const program = join(base, "program.js");
const children = new Set<ChildProcess>();

beforeAll(async () => {
  const entry = join(base, "entry.js");
  const source = fileURLToPath(new URL("../../../testing/store/child-programs.ts", import.meta.url));
  writeFileSync(
    entry,
    `import * as programs from ${JSON.stringify(source)};\nawait programs[process.argv[2]](...process.argv.slice(3));\n`,
  );
  await build({ input: entry, platform: "node", external: ["lmdb"], output: { file: program, format: "esm" } });
  symlinkSync(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(base, "node_modules"), "junction");
});

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(base, { recursive: true });
});

function start(name: keyof typeof programs, ...args: readonly string[]): ChildProcess {
  return watch(spawn(process.execPath, [program, name, ...args], { stdio: ["ignore", "pipe", "pipe"] }));
}

function watch(child: ChildProcess): ChildProcess {
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** The last line that the child printed, once it has ended without an error. */
async function outcome(child: ChildProcess): Promise<unknown> {
  let said = "";
  let complaints = "";
  child.stdout?.on("data", (chunk) => (said += chunk));
  child.stderr?.on("data", (chunk) => (complaints += chunk));
  const [code, signal] = await once(child, "close");
  if (code !== 0) throw new Error(`The child ended with ${code ?? signal}: ${complaints}`);
  return JSON.parse(said.trim().split("\n").at(-1) ?? "");
}

const folder = (name: string): string => {
  const path = join(base, name);
  mkdirSync(path);
  return path;
};

describe("a store on disk", () => {
  it("has all flushed rows, and no half ones, after its process was killed", async () => {
    const path = folder("killed");
    let next = 0;
    for (let round = 0; round < 5; round++) {
      const child = start("writeForever", path, String(next));
      let flushed = -1;
      let isKilled = false;
      for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
        flushed = Number(line);
        if (flushed >= next + 60 + round * 11 && !isKilled) isKilled = child.kill("SIGKILL");
      }
      expect(flushed).toBeGreaterThan(next);
      const { store, warnings } = await openEmbeddedStore({ folder: path, now: Date.now });
      expect(warnings).toEqual([]);
      const states: string[] = [];
      do states.push(programs.stateOfNumbered(store, "w", states.length));
      while (states.length <= flushed || states.at(-1) !== "missing");
      const later = Array.from({ length: 50 }, (_, index) =>
        programs.stateOfNumbered(store, "w", states.length + index),
      );
      expect(new Set(states.slice(0, -1))).toEqual(new Set(["whole"]));
      expect(new Set(later)).toEqual(new Set(["missing"]));
      // One name is overwritten again and again. It leads to the newest row that is also there under its own name, or the one before.
      const latest = Number(store.get("o", "latest")?.text);
      expect([states.length - 2, states.length - 3]).toContain(latest);
      await store.close();
      next = states.length - 1;
    }
  });

  it("serves several processes at once, even while the folder is being made", async () => {
    const path = folder("shared");
    const writers = ["a", "b"].map((name) => outcome(start("writeSome", path, name, "60")));
    let nowMs = Date.now();
    const { store, warnings } = await openEmbeddedStore({ folder: path, now: () => nowMs });
    for (let number = 0; number < 60; number++) {
      programs.putNumbered(store, "here", number);
      if (number % 10 === 0) await store.flush();
    }
    expect([warnings, ...(await Promise.all(writers))]).toEqual([[], [], []]);
    await store.flush();
    for (const name of ["a", "b", "here"]) {
      const states = Array.from({ length: 60 }, (_, number) => programs.stateOfNumbered(store, name, number));
      expect(new Set(states), name).toEqual(new Set(["whole"]));
    }
    while (!store.sweep(nowMs).isDone);
    expect(store.stats()).toMatchObject({ lineages: 15, rows: 180 });
    nowMs += 31 * 24 * 60 * 60_000;
    while (!store.sweep(nowMs).isDone);
    expect(store.stats()).toEqual({ lineages: 0, rows: 0, bytes: 0 });
    await store.close();
  });

  it.skipIf(process.platform === "win32")(
    "still serves reads when the disk is full, reports it, and keeps all flushed rows",
    async () => {
      const path = folder("full");
      const limited = ["-c", 'ulimit -f 2200; exec "$0" "$@"', process.execPath, program, "writeUntilFull", path];
      const reported = await outcome(watch(spawn("sh", limited, { stdio: ["ignore", "pipe", "pipe"] })));
      expect(reported).toMatchObject({
        first: "whole",
        last: "whole",
        failure: expect.stringContaining("could not be written"),
      });
      const { flushed, problems } = reported as { flushed: number; problems: number };
      expect(flushed).toBeGreaterThan(10);
      expect(problems).toBe(1);
      const { store, warnings } = await openEmbeddedStore({ folder: path, now: Date.now });
      expect(warnings).toEqual([]);
      const states = Array.from({ length: flushed + 5 }, (_, number) => programs.stateOfNumbered(store, "f", number));
      expect(states).toEqual([...Array(flushed).fill("whole"), ...Array(5).fill("missing")]);
      await store.close();
    },
  );

  it("falls back to memory without a build of LMDB", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "curlew-store-without-"));
    try {
      const file = join(elsewhere, "program.js");
      copyFileSync(program, file);
      const args = [file, "openAnyStore", join(elsewhere, "state")];
      const reported = await outcome(watch(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })));
      expect(reported).toEqual({ warnings: [expect.stringMatching(/in memory only.*lmdb/)], state: "whole" });
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it("survives damage of every kind: the file is moved aside, or the damaged rows are misses", async () => {
    const path = folder("sound");
    const { store } = await openEmbeddedStore({ folder: path, now: Date.now });
    for (let number = 0; number < 100; number++) {
      programs.putNumbered(store, "d", number);
      if (number % 10 === 0) await store.flush();
      if (number % 25 === 0) store.sweep(Date.now());
    }
    await store.close();
    const reported = await outcome(start("useDamaged", folder("damaged"), join(path, "data.mdb"), "36"));
    expect(reported).toEqual({ opened: expect.any(Number), "moved aside": expect.any(Number) });
  });
});
