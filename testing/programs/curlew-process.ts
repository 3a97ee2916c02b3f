import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { runProgram } from "../../packages/cli/run-program.js";
import { temporaryFolder } from "../temporary-folder.js";
import { capturedMachine } from "./captured-machine.js";
import { mainFile } from "./main-file.js";

export { mainFile };

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

interface CommandOptions extends Options {
  /** The width of a terminal; without it, output goes to pipes. */
  readonly columns?: number | undefined;
}

interface SpawnOptions extends Options {
  /** Another build's command. */
  readonly main?: string;
}

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  readonly finished: Promise<Finished>;
  /** Resolves with the command's output so far as soon as it matches. */
  printed(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
}

/** Runs a command to its end in this process, in an empty environment. */
export function runCurlew(args: readonly string[], options: CommandOptions = {}): Promise<Finished> {
  return startCurlew(args, options).finished;
}

/** A command that runs in this process, until a signal ends it. */
export function startCurlew(args: readonly string[], { env, ...rest }: CommandOptions = {}): Running {
  const machine = capturedMachine({ env: { ...emptyMachine(), ...env }, ...rest });
  const { stdout, stderr, events } = machine;
  const running = runProgram(args, machine);
  const finished = running.then((code) => ({ code, stdout: stdout.text, stderr: stderr.text }));
  onTestFinished(() => ended(finished, () => events.emit("SIGTERM")));
  return {
    finished,
    printed: (name, pattern) => matching(finished, machine[name], () => machine[name].text, pattern),
    signal: (name) => void events.emit(name),
  };
}

/** Asks again, because a second signal cuts answers short. */
const IMPATIENT_MS = 300;

async function ended(finished: Promise<unknown>, stop: () => void): Promise<void> {
  stop();
  const impatience = setInterval(stop, IMPATIENT_MS);
  await finished.finally(() => clearInterval(impatience));
}

interface RunningProgram extends Running {
  readonly process: ChildProcess;
}

/** Starts the built program, in an empty environment. */
export function spawnCurlew(
  args: readonly string[],
  { env = {}, stdin = "", main = mainFile }: SpawnOptions = {},
): RunningProgram {
  const child = spawn(process.execPath, [main, ...args], { env: { ...emptyMachine(), ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const texts = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    texts.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    texts.stderr += text;
  });
  child.stdin.end(stdin);
  const finished = once(child, "close").then(([code]: (number | null)[]) => ({ code: code ?? null, ...texts }));
  return {
    process: child,
    finished,
    printed: (name, pattern) => matching(finished, child[name], () => texts[name], pattern),
    signal: (name) => void child.kill(name),
  };
}

function matching(
  finished: Promise<Finished>,
  stream: NodeJS.EventEmitter,
  text: () => string,
  pattern: RegExp,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const match = pattern.exec(text());
      if (match !== null) resolve(match);
    };
    look();
    stream.on("data", look);
    finished.then(({ code, stderr }) => reject(new Error(`curlew ended with ${code}: ${stderr}`)), reject);
  });
}

/** A gateway on a free port, in this process; the simulator is its default backend. */
export function serveCurlew(args: readonly string[] = [], options: CommandOptions = {}) {
  return serving(startCurlew, args, options);
}

/** The same as a process of its own. */
export function spawnGateway(args: readonly string[] = [], options: SpawnOptions = {}) {
  return serving(spawnCurlew, args, options);
}

async function serving<Given extends Options, Started extends Running>(
  start: (args: readonly string[], options: Given) => Started,
  args: readonly string[],
  options: Given,
) {
  const env = { CURLEW_BACKEND: "simulator", ...options.env };
  const running = start(["serve", "--port", "0", "--json", ...args], { ...options, env });
  const [line] = await running.printed("stdout", /^.*\n/);
  const { url }: { url: string } = JSON.parse(line);
  return { ...running, url };
}

/** Only the PATH and the time zone are inherited: neither a credential nor a setting of the developer. */
export function emptyMachine(): Record<string, string> {
  const home = temporaryFolder();
  const { PATH = "", TZ } = process.env;
  return { PATH, HOME: home, ...(TZ !== undefined && { TZ }) };
}
