import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { reasonOf } from "../turn/reason-of.js";
import { unlessMissing } from "../unless-missing.js";
import type { Runner } from "./runner.js";
import {
  type CommandOutput,
  type Service,
  ServiceError,
  type ServiceFile,
  type ServiceState,
  type SystemCommand,
} from "./service.js";

/** Writes the definition and starts the service, unless it already runs with the same one. @throws {ServiceError} */
export async function installService(service: Service, runner: Runner): Promise<"installed" | "unchanged"> {
  const isNew = service.files.some((file) => contentOf(file) !== file.text);
  if (!isNew && (await serviceState(service, runner)).isRunning) return "unchanged";
  for (const { path, text, encoding } of service.files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { encoding, mode: 0o600 });
  }
  await runAll(service.install, runner);
  return "installed";
}

export interface UndoneStep {
  readonly command: SystemCommand;
  readonly reason: string;
}

/** Removes the files in any case. Returns what the system did not do, or undefined if there was no service. */
export async function uninstallService(service: Service, runner: Runner): Promise<readonly UndoneStep[] | undefined> {
  if (!isInstalled(service)) return undefined;
  const undone = await tryAll(service.uninstall, runner);
  for (const { path } of service.files) rmSync(path, { force: true });
  for (const path of service.links) rmSync(path, { force: true });
  return [...undone, ...(await tryAll(service.forget, runner))];
}

/** @throws {ServiceError} There is no service, or the system refuses. */
export async function controlService(
  service: Service,
  action: "start" | "stop" | "restart",
  runner: Runner,
): Promise<void> {
  if (!isInstalled(service)) {
    throw new ServiceError("Curlew is not installed as a service. Run: curlew service install");
  }
  await runAll(service[action], runner);
}

export function isInstalled({ files }: Service): boolean {
  return files.some((file) => contentOf(file) !== undefined);
}

export async function serviceState(service: Service, runner: Runner): Promise<ServiceState> {
  return service.readState(await runner.run(service.query));
}

export function commandLine({ program, args }: SystemCommand): string {
  return [program, ...args.map((arg) => (/^[\w@%+=:,./\\-]+$/.test(arg) ? arg : JSON.stringify(arg)))].join(" ");
}

async function runAll(commands: readonly SystemCommand[], runner: Runner): Promise<void> {
  for (const command of commands) {
    const reason = refusal(command, await runner.run(command));
    if (reason === undefined) continue;
    throw new ServiceError(`${commandLine(command)} ${reason}\nFix the problem above, then run it again.`);
  }
}

async function tryAll(commands: readonly SystemCommand[], runner: Runner): Promise<UndoneStep[]> {
  const undone: UndoneStep[] = [];
  for (const command of commands) {
    const reason = await runner.run(command).then((output) => refusal(command, output), reasonOf);
    if (reason !== undefined) undone.push({ command, reason });
  }
  return undone;
}

/** Why a command did not do what it should; undefined if it did, or if that does not matter. */
function refusal({ mayFail }: SystemCommand, { exitCode, stdout, stderr }: CommandOutput): string | undefined {
  if (exitCode === 0 || mayFail) return undefined;
  const said = (stderr.trim() || stdout.trim()).slice(0, 1_000);
  return `ended with ${exitCode}${said === "" ? "" : `: ${said}`}`;
}

function contentOf({ path, encoding }: ServiceFile): string | undefined {
  return unlessMissing(() => readFileSync(path, encoding));
}
