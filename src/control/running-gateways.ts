import { rmSync } from "node:fs";
import { connect } from "node:net";
import { reasonOf } from "../turn/reason-of.js";
import { type RunFile, readRunFile, runFilesIn } from "./run-file.js";

/** The header with which a command of the owner proves that it can read the owner's files. */
export const CONTROL_HEADER = "x-curlew-control";

/** Stopping takes a moment; a gateway that hangs must not keep the owner from the others. */
const ANSWER_MS = 10_000;
const REFUSED = 401;

interface Answer {
  readonly url: string;
  readonly pid: number;
  /** Undefined if the gateway could not be asked; then `problem` says why. */
  readonly answer: unknown;
  readonly problem: string | undefined;
}

/**
 * Posts to the same route of every gateway that runs in this home, and returns their answers. Files that gateways have left behind
 * are removed: their process is gone, nothing listens there, or another program refuses their token.
 */
export async function askGateways(folder: string, route: string): Promise<Answer[]> {
  const runs = runFilesIn(folder).flatMap((path) => {
    const run = readRunFile(path);
    if (run !== undefined && isAlive(run.pid)) return [{ path, run }];
    rmSync(path, { force: true });
    return [];
  });
  const answers = await Promise.all(
    runs.map(async ({ path, run }) => {
      const answer = await post(run, route);
      if (answer === "gone") rmSync(path, { force: true });
      return answer === "gone" ? [] : [answer];
    }),
  );
  return answers.flat();
}

async function post({ url, pid, token }: RunFile, route: string): Promise<Answer | "gone"> {
  try {
    const response = await fetch(new URL(route, url), {
      method: "POST",
      headers: { [CONTROL_HEADER]: token },
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: "error",
    });
    if (response.status === REFUSED) return "gone";
    if (!response.ok) return { url, pid, answer: undefined, problem: `it answered with status ${response.status}` };
    return { url, pid, answer: await response.json(), problem: undefined };
  } catch (thrown) {
    const cause = causeOf(thrown);
    if (codeOf(cause) === "ECONNREFUSED") return "gone";
    return { url, pid, answer: undefined, problem: reasonOf(cause) };
  }
}

/** `fetch` itself says only that it failed. */
function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // A process of another user is alive, too.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}

/** A gateway that is busy accepts a connection all the same; the system does that for it. */
const CONNECT_MS = 2_000;

/** The gateways that run and have written so into this folder. Nothing in it changes. */
export async function liveGateways(folder: string): Promise<RunFile[]> {
  const runs = runFilesIn(folder).flatMap((path) => readRunFile(path) ?? []);
  const found = await Promise.all(
    // A process id alone may have been given to another program since.
    runs.map(async (run) => (isAlive(run.pid) && (await isListening(run.url)) ? [run] : [])),
  );
  return found.flat();
}

function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80), timeout: CONNECT_MS });
    const settle = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => settle(true));
    socket.once("timeout", () => settle(false));
    socket.once("error", () => settle(false));
  });
}
