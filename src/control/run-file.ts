import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
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

export function pathOf(folder: string, port: string): string {
  return join(folder, `${port}.json`);
}

/** The paths of all run files. */
export function runFilesIn(folder: string): string[] {
  const names = unlessMissing(() => readdirSync(folder)) ?? [];
  return names.filter((name) => /^\d{1,5}\.json$/.test(name)).map((name) => join(folder, name));
}
