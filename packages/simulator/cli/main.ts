// A simulator of Cursor's `cursor-agent`: it prints and asks what the real one does, and its model obeys directives.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { systemClock } from "../server/clock.js";
import { createRecorder } from "./recorder.js";
import { run } from "./run.js";
import { readScenario } from "./scenario.js";

/** Enough cuts to test a reader; each one costs time. */
const MAX_CUTS = 50;

const scenario = readScenario(process.env.FAKE_CURSOR_AGENT_SCENARIO);
if (scenario.ignoresTerm) for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
// A closed stdout ends the command, like the real one.
process.stdout.on("error", () => process.exit(1));
if (scenario.leavesChild) {
  spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: ["ignore", "inherit", "inherit"] }).unref();
}

const code = await run({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  scenario,
  clock: systemClock,
  recorder: createRecorder(process.env.FAKE_CURSOR_AGENT_RECORD, process.pid),
  newId: randomUUID,
  async readStdin() {
    const chunks: Uint8Array[] = [];
    if (!process.stdin.isTTY) for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
    return Buffer.concat(chunks).toString();
  },
  input: process.stdin,
  out(text) {
    const pieces = scenario.splitUtf8 ? splitCharacters(text) : [text];
    for (const piece of pieces) {
      process.stdout.write(piece);
      if (pieces.length > 1) pauseMs(3);
    }
  },
  err: (text) => process.stderr.write(text),
  crash() {
    process.kill(process.pid, "SIGKILL");
    throw new Error("killed");
  },
});
if (scenario.hangAfterResult) setInterval(() => {}, 60_000);
else process.stdout.write("", () => process.exit(code));

/** Blocks long enough for the reader to read each piece separately. */
function pauseMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Pieces that end after the first byte of a multi-byte character. */
function splitCharacters(text: string): Uint8Array[] {
  const bytes = Buffer.from(text);
  const cuts: number[] = [];
  for (let at = 1; at < bytes.length && cuts.length < MAX_CUTS; at += 1) {
    if ((bytes[at - 1] ?? 0) >= 0xc0) cuts.push(at);
  }
  return [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length));
}
