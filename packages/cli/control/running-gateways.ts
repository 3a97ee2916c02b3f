import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { isAlive } from "@curlew/gateway/system/is-alive.js";
import { makeFolder } from "@curlew/gateway/system/make-folder.js";
import { replaceFile } from "@curlew/gateway/system/replace-file.js";
import { unlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { codeOf, reasonOf } from "@curlew/gateway/turn/reason-of.js";
import { z } from "zod";

const RunFile = z.object({
  pid: z.int().positive(),
  /** The address for programs on this machine. */
  url: z.url({ protocol: /^http$/ }),
  started: z.iso.datetime(),
  token: z.string().min(1),
});

/** Lets the owner's commands reach a running gateway. */
export type RunFile = z.infer<typeof RunFile>;

/** Undefined if the file is missing or invalid. */
function readRunFile(path: string): RunFile | undefined {
  try {
    return RunFile.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch {
    return undefined;
  }
}

/** The gateway that announced this port; it may have ended since. */
export function readRun(folder: string, port: number): Pick<RunFile, "pid" | "url" | "started"> | undefined {
  return readRunFile(pathOf(folder, String(port)));
}

function pathOf(folder: string, port: string): string {
  return join(folder, `${port}.json`);
}

function runFilesIn(folder: string): string[] {
  const names = unlessMissing(() => readdirSync(folder)) ?? [];
  return names.filter((name) => /^\d{1,5}\.json$/.test(name)).map((name) => join(folder, name));
}

const TOKEN_BYTES = 32;

export function newControlToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Publishes how commands reach this gateway. Returns a function that withdraws it. @throws Error of the file system */
export function announce(folder: string, run: RunFile): () => void {
  const path = pathOf(folder, new URL(run.url).port || "80");
  makeFolder(folder);
  replaceFile(path, `${JSON.stringify(run)}\n`);
  return () => {
    try {
      // Another gateway may have announced the same port since.
      if (readRunFile(path)?.token === run.token) rmSync(path, { force: true });
    } catch {
      // Stale files are detected and removed later.
    }
  };
}

/** Header with the control token, which proves that a command can read the owner's files. */
export const CONTROL_HEADER = "x-curlew-control";

/** Stopping takes a moment, but a hanging gateway must not block the others. */
const ANSWER_MS = 10_000;
const REFUSED = 401;

/** Posts to a route of every gateway of this home, and returns their answers. Removes stale files. */
export async function askGateways(folder: string, route: string) {
  const answers = await Promise.all(
    runFilesIn(folder).map(async (path) => {
      const run = readRunFile(path);
      const answer = run !== undefined && isAlive(run.pid) ? await post(run, route) : undefined;
      if (answer === undefined) rmSync(path, { force: true });
      return answer ?? [];
    }),
  );
  return answers.flat();
}

/** Its answer, or the reason for a failure; undefined if the gateway no longer exists. */
async function post({ url, pid, token }: RunFile, route: string) {
  try {
    const response = await fetch(new URL(route, url), {
      method: "POST",
      headers: { [CONTROL_HEADER]: token },
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: "error",
    });
    if (response.status === REFUSED) return undefined;
    if (!response.ok) return { url, pid, answer: undefined, problem: `it answered with status ${response.status}` };
    const answer: unknown = await response.json();
    return { url, pid, answer, problem: undefined };
  } catch (thrown) {
    // The error of `fetch` itself has no details.
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
    if (codeOf(cause) === "ECONNREFUSED") return undefined;
    return { url, pid, answer: undefined, problem: reasonOf(cause) };
  }
}

/** Short, because the system accepts connections even for a busy gateway. */
const CONNECT_MS = 2_000;

/** The running gateways announced in this folder. Read-only. */
export async function liveGateways(folder: string): Promise<RunFile[]> {
  const runs = runFilesIn(folder).flatMap((path) => readRunFile(path) ?? []);
  const found = await Promise.all(
    // The process id may have been reused by another program.
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
