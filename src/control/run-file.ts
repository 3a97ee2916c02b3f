import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder } from "../make-folder.js";
import { replaceFile } from "../replace-file.js";
import { unlessMissing } from "../unless-missing.js";

const RunFile = z.object({
  pid: z.int().positive(),
  /** The address for programs on this machine. */
  url: z.url({ protocol: /^http$/ }),
  started: z.iso.datetime(),
  token: z.string().min(1),
});

/** How the owner's commands reach a running gateway. */
export type RunFile = z.infer<typeof RunFile>;

/** Undefined if there is no such file, or nothing in it that can be used. */
export function readRunFile(path: string): RunFile | undefined {
  try {
    return RunFile.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch {
    return undefined;
  }
}

/** The gateway that has opened this port, as it has said itself; it may have ended since. */
export function readRun(folder: string, port: number): Pick<RunFile, "pid" | "url" | "started"> | undefined {
  return readRunFile(pathOf(folder, String(port)));
}

function pathOf(folder: string, port: string): string {
  return join(folder, `${port}.json`);
}

export function runFilesIn(folder: string): string[] {
  const names = unlessMissing(() => readdirSync(folder)) ?? [];
  return names.filter((name) => /^\d{1,5}\.json$/.test(name)).map((name) => join(folder, name));
}

const TOKEN_BYTES = 32;

export function newControlToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Writes down how commands reach this gateway. Returns the function that withdraws it. @throws Error of the file system */
export function announce(folder: string, run: RunFile): () => void {
  const path = pathOf(folder, new URL(run.url).port || "80");
  makeFolder(folder);
  replaceFile(path, `${JSON.stringify(run)}\n`);
  return () => {
    // Another gateway may have taken the port since.
    if (readRunFile(path)?.token === run.token) rmSync(path, { force: true });
  };
}
