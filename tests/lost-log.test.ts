import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { emptyMachine, mainFile } from "../testing/programs/curlew-process.js";

/** A device that is always full, only on Linux. */
const fullDevice = "/dev/full";
const hasFullDevice = existsSync(fullDevice);

function start(args: readonly string[], stdio: ("pipe" | number)[]): ChildProcess {
  const env = { ...emptyMachine(), CURLEW_BACKEND: "simulator" };
  const child = spawn(process.execPath, [mainFile, ...args], { env, stdio: ["ignore", ...stdio] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

function openFull(): number {
  const fd = openSync(fullDevice, "w");
  onTestFinished(() => closeSync(fd));
  return fd;
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("stdout is not a pipe");
  const [line] = await once(createInterface(stdout), "line");
  return line;
}

async function ask(url: string): Promise<number> {
  const response = await postJson(`${url}/v1/chat/completions`, {
    model: "auto",
    messages: [{ role: "user", content: "hi" }],
  });
  await response.text();
  return response.status;
}

async function lostLines(url: string): Promise<number> {
  const response = await fetch(`${url}/health`);
  return ((await response.json()) as { lostLogLines: number }).lostLogLines;
}

const serve = ["serve", "--port", "0", "--json"];

describe("a gateway whose log", () => {
  it("has lost its reader keeps serving, and counts lost lines", async () => {
    const child = start(serve, ["pipe", "pipe"]);
    const { url } = JSON.parse(await firstLine(child));
    expect(await ask(url)).toBe(200);
    child.stderr?.destroy();
    child.stdout?.destroy();
    for (let count = 0; count < 3; count++) expect(await ask(url)).toBe(200);
    await expect.poll(() => lostLines(url)).toBeGreaterThanOrEqual(3);
    child.kill("SIGTERM");
    expect((await once(child, "exit"))[0]).toBe(0);
  });

  it.skipIf(!hasFullDevice)(
    "is lost along with its standard output reports it on exit, and serves until then",
    async () => {
      const child = start(serve, [openFull(), "pipe"]);
      if (child.stderr === null) throw new Error("stderr is not a pipe");
      const [said] = await once(createInterface(child.stderr), "line");
      expect(said).toContain("standard output cannot be written (ENOSPC)");
      child.kill("SIGTERM");
      expect((await once(child, "exit"))[0]).toBe(1);
    },
  );
});

it("a simulator keeps running when its reader is gone", async () => {
  const child = start(["simulate"], ["pipe", "pipe"]);
  const url = await firstLine(child);
  child.stdout?.destroy();
  child.stderr?.destroy();
  expect((await fetch(`${url}/__sim/stats`)).status).toBe(200);
});

it.skipIf(!hasFullDevice)("a command whose output cannot be written fails without a stack trace", async () => {
  const child = start(["--help"], [openFull(), "pipe"]);
  const [said, [code]] = await Promise.all([text(child.stderr as Readable), once(child, "close")]);
  expect(code).toBe(1);
  expect(said).toBe("curlew: standard output cannot be written (ENOSPC).\n");
});
