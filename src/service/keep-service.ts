import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { unlessMissing } from "../unless-missing.js";
import type { Runner } from "./runner.js";
import { type Service, ServiceError, type ServiceFile, type ServiceState, type SystemCommand } from "./service.js";

/**
 * Writes the definition and starts the service. A service that already runs with the same definition is left alone.
 *
 * @throws {ServiceError} The system refuses, or a file cannot be written.
 */
export async function installService(service: Service, runner: Runner): Promise<"installed" | "unchanged"> {
  const isNew = service.files.some((file) => contentOf(file) !== file.text);
  if (!isNew && (await serviceState(service, runner)).isRunning) return "unchanged";
  for (const { path, text, encoding } of service.files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { encoding, mode: 0o600 });
  }
  await runAll(service.start, runner);
  return "installed";
}

/** @throws {ServiceError} The system refuses to stop the service. */
export async function uninstallService(service: Service, runner: Runner): Promise<"removed" | "absent"> {
  if (!isInstalled(service)) return "absent";
  await runAll(service.stop, runner);
  for (const { path } of service.files) rmSync(path, { force: true });
  await runAll(service.forget, runner);
  return "removed";
}

export function isInstalled({ files }: Service): boolean {
  return files.some((file) => contentOf(file) !== undefined);
}

export async function serviceState(service: Service, runner: Runner): Promise<ServiceState> {
  return service.readState(await runner.run(service.query));
}

/** A command in shell syntax, for people to read and repeat. */
export function commandLine({ program, args }: SystemCommand): string {
  return [program, ...args.map((arg) => (/^[\w@%+=:,./\\-]+$/.test(arg) ? arg : JSON.stringify(arg)))].join(" ");
}

async function runAll(commands: readonly SystemCommand[], runner: Runner): Promise<void> {
  for (const command of commands) {
    const { exitCode, stdout, stderr } = await runner.run(command);
    if (exitCode === 0 || command.mayFail) continue;
    const said = (stderr.trim() || stdout.trim()).slice(0, 1_000);
    throw new ServiceError(
      `${commandLine(command)} ended with ${exitCode}${said === "" ? "" : `: ${said}`}\n` +
        "Fix the problem above, then run it again.",
    );
  }
}

function contentOf({ path, encoding }: ServiceFile): string | undefined {
  return unlessMissing(() => readFileSync(path, encoding));
}
