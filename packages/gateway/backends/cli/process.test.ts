import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRunning } from "../../../../testing/programs/is-running.js";
import { systemClock } from "../../system/clock.js";
import { isGroupAlive } from "../../system/process-group.js";
import { CliProcess } from "./process.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "process-test-"));
});
afterAll(() => rm(folder, { recursive: true }));

function run(script: string, args: string[] = []): CliProcess {
  const env = { PATH: "/usr/bin:/bin" };
  return new CliProcess({ command: process.execPath, args: ["-e", script, ...args], cwd: folder, env }, systemClock);
}

/** Resolves with the first output. */
function firstWords(started: CliProcess): Promise<string> {
  return new Promise((resolve) => started.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString())));
}

describe("a process of the CLI", () => {
  it("gives its output, the end of its stderr and its exit code", async () => {
    const started = run("console.log('out'); console.error('bad ' + 'x'.repeat(20000) + ' end'); process.exitCode = 3");
    expect(await text(started.stdout)).toBe("out\n");
    expect(await started.ended).toEqual({ code: 3, signal: null });
    expect(started.stderr).toMatch(/x end\n$/);
    expect(started.stderr.length).toBe(16 * 1024);
  });

  it("need not read its input", async () => {
    const started = run("process.exit(0)");
    started.stdin.end("z".repeat(5 * 1024 * 1024));
    started.stdout.resume();
    expect((await started.ended).code).toBe(0);
  });

  it("reports why it did not start", async () => {
    const started = new CliProcess({ command: "/nowhere/at-all", args: [], cwd: folder, env: {} }, systemClock);
    expect((await started.ended).failure).toMatchObject({ code: "ENOENT" });
    await started.stop();
  });

  it("ends when it is asked to", async () => {
    const started = run("console.log('here'); setInterval(() => {}, 1000)");
    await firstWords(started);
    expect(await started.stop()).toEqual({ code: null, signal: "SIGTERM" });
  });

  it("is killed when it ignores SIGTERM, and so are its children", async () => {
    const deaf = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
    const started = run(
      `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}], { stdio: 'ignore' }); ${deaf} console.log('here')`,
    );
    await firstWords(started);
    expect((await started.stop()).signal).toBe("SIGKILL");
    await expect.poll(() => isGroupAlive(started.pid ?? 0)).toBe(false);
  });

  it("ends the children that it leaves behind, although they hold its output open", async () => {
    const child = "require('node:fs').writeFileSync('child', String(process.pid)); setInterval(() => {}, 1000)";
    const started = run(
      `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' });
       const look = setInterval(() => { if (require('node:fs').existsSync('child')) { console.log('bye'); process.exit(0); } }, 10)`,
    );
    expect(await text(started.stdout)).toBe("bye\n");
    expect(await started.ended).toEqual({ code: 0, signal: null });
    const pid = Number(await readFile(join(folder, "child"), "utf8"));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("waits for a slow reader, and loses nothing", async () => {
    const started = run("process.stdout.write('w'.repeat(300000), () => process.exit(0))");
    started.stdout.pause();
    await new Promise((resolve) => started.stdout.once("readable", resolve));
    const later = text(started.stdout);
    expect((await later).length).toBe(300_000);
  });

  it("can be killed without waiting", async () => {
    const started = run("process.on('SIGTERM', () => {}); console.log('here'); setInterval(() => {}, 1000)");
    await firstWords(started);
    started.kill();
    expect((await started.ended).signal).toBe("SIGKILL");
  });
});
