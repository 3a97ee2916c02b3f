import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import type { Machine } from "../../system/machine.js";
import { cliMissing } from "./errors.js";

export interface CliProgram {
  readonly path: string;
  readonly command: string;
  readonly args: readonly string[];
}

export interface FoundCli extends CliProgram {
  /** The output of `--version`; empty when the program does not run. */
  readonly version: string;
}

const VERSION = /^\d{4}\.\d{2}\.\d{2}-[0-9a-f]+/;
const isWindows = process.platform === "win32";

/** The setting, else `cursor-agent` on the PATH, else `agent` if it is Cursor's: others have that name too. @throws GatewayError `server_error` */
export async function findCli(
  cliPath: string | undefined,
  { env, homeDirectory }: Pick<Machine, "env" | "homeDirectory">,
  askVersion: (cli: CliProgram) => Promise<string>,
): Promise<FoundCli> {
  if (cliPath !== undefined) {
    if (!(await isProgram(cliPath))) throw cliMissing(`${cliPath} is not a program`);
    const cli = await startable(cliPath);
    return { ...cli, version: await askVersion(cli) };
  }
  // The installer's folder, which the PATH of a service often lacks.
  const folders = [...(env.PATH ?? env.Path ?? "").split(delimiter), join(homeDirectory, ".local", "bin")];
  for (const name of ["cursor-agent", "agent"]) {
    for (const folder of folders.filter((each) => each !== "")) {
      const path = join(folder, isWindows ? `${name}.cmd` : name);
      if (!(await isProgram(path))) continue;
      const cli = await startable(path);
      const version = await askVersion(cli);
      if (name === "cursor-agent" || VERSION.test(version)) return { ...cli, version };
    }
  }
  throw cliMissing("neither cursor-agent nor Cursor's agent is on the PATH");
}

/** A Windows script needs a shell to start, but the program that it starts lies beside it. */
async function startable(path: string): Promise<CliProgram> {
  if (/\.[cm]?js$/.test(path)) return { path, command: process.execPath, args: [path] };
  if (!isWindows || !path.toLowerCase().endsWith(".cmd")) return { path, command: path, args: [] };
  const folder = dirname(await realpath(path));
  return { path, command: join(folder, "node.exe"), args: [join(folder, "index.js")] };
}

async function isProgram(path: string): Promise<boolean> {
  try {
    if (!path.endsWith("js")) await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
