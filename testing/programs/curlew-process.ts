import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { mainFile } from "./main-file.js";

export { mainFile };

interface SpawnOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Another build's command. */
  readonly main?: string;
}

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command to its end in an empty environment. */
export async function runCurlew(args: readonly string[], options: SpawnOptions = {}): Promise<Finished> {
  return spawnCurlew(args, options).finished;
}

interface Running {
  readonly process: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves with the command's output so far as soon as it matches. */
  printed(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpExecArray>;
}

export function spawnCurlew(
  args: readonly string[],
  { env = {}, stdin = "", main = mainFile }: SpawnOptions = {},
): Running {
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
    printed(stream, pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(texts[stream]);
          if (match !== null) resolve(match);
        };
        look();
        child[stream].on("data", look);
        finished.then(({ code, stderr }) => reject(new Error(`curlew ended with ${code}: ${stderr}`)), reject);
      });
    },
  };
}

interface RunningGateway extends Running {
  readonly url: string;
}

/** A gateway on a free port; the simulator is its default backend. */
export async function serveCurlew(args: readonly string[] = [], options: SpawnOptions = {}): Promise<RunningGateway> {
  const env = { CURLEW_BACKEND: "simulator", ...options.env };
  const running = spawnCurlew(["serve", "--port", "0", "--json", ...args], { ...options, env });
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
