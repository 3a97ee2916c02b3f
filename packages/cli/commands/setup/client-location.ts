import { existsSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { runningGateway } from "../../app/running-gateway.js";
import { localUrl } from "../../app/start/listen.js";
import type { Settings } from "../../config/settings.js";
import { attempt } from "../../setup/attempt.js";
import type { Client, GatewayAddress } from "../../setup/client.js";
import { readClientFile, realFile } from "../../setup/client-file.js";
import { clients } from "../../setup/clients.js";
import { readSettings } from "../../setup/edited-text.js";
import type { Format } from "../../setup/formats/format.js";
import { findCommand } from "../../terminal/programs.js";

/** The settings file of a client on this machine; undefined if it has none, or none at a fixed path. */
export function fileOf(client: Client, machine: Machine, given?: string): string | undefined {
  const path = pathOf(client, machine, given);
  return path === undefined ? undefined : realFile(path);
}

/** The same before links are followed: clients look for further files there. */
export function pathOf({ file }: Client, machine: Machine, given?: string): string | undefined {
  const paths = file?.paths(machine) ?? [];
  const path = given ?? paths.find((each) => existsSync(each)) ?? paths.find((each) => isAbsolute(each));
  return file === undefined || path === undefined ? undefined : resolve(path);
}

export type ClientState = ReturnType<typeof stateOf>;

export function stateOf(client: Client, machine: Machine, { url }: Pick<GatewayAddress, "url">) {
  const { name, title, isProven } = client;
  const file = fileOf(client, machine);
  return {
    client: name,
    title,
    isInstalled: isInstalled(client, machine),
    // Whether its file names the gateway's address; null if there is no file to write.
    isSetUp: client.file === undefined ? null : file !== undefined && names(file, client.file.format, url),
    file: file ?? null,
    isProven,
  };
}

/** The client as its installed program describes itself, if that can. */
export function installedClient(client: Client, machine: Machine): Client {
  const program = client.command && findCommand(client.command, machine);
  return (program && client.asInstalled?.(program, machine.env)) || client;
}

/** Whether a client seems to be installed: its command is on the PATH, or its settings have a folder below the home folder. */
export function isInstalled(client: Client, machine: Machine): boolean {
  if (client.command !== undefined && findCommand(client.command, machine) !== undefined) return true;
  const file = fileOf(client, machine);
  const home = resolve(machine.homeDirectory);
  return file?.startsWith(home) === true && dirname(file) !== home && existsSync(dirname(file));
}

/** Whether the file names the gateway. Ignores the model, because the user may have chosen another since. */
function names(file: string, format: Format, url: string): boolean {
  // An unreadable file counts as not set up.
  const settings = attempt(() => readSettings(readClientFile(file) ?? "", format));
  return hasAddress(settings, url);
}

function hasAddress(value: unknown, url: string): boolean {
  if (typeof value === "string") return value === url || value.startsWith(`${url}/`);
  return typeof value === "object" && value !== null && Object.values(value).some((each) => hasAddress(each, url));
}

interface Situation {
  readonly isSignedIn: boolean;
  readonly clients: readonly Pick<Client, "title" | "command">[];
  readonly isRunning: boolean;
}

export function nextStep({ isSignedIn, clients: ready, isRunning }: Situation): string {
  if (!isSignedIn) return "Next, sign in to Cursor: curlew login";
  if (ready.length === 0) return "Next, point a client at Curlew: curlew setup";
  if (!isRunning) return "Next, start the gateway: curlew";
  return `Everything is ready. ${howToUse(ready)}`;
}

/** `Open another terminal and run: claude, or opencode` */
export function howToUse(ready: Situation["clients"]): string {
  const commands = ready.flatMap(({ command }) => command ?? []);
  if (commands.length > 0) return `Open another terminal and run: ${commands.join(", or ")}`;
  const [first] = ready;
  return first === undefined ? 'Ask something: curlew ask "What is a curlew?"' : `Start ${first.title}.`;
}

/** `nextStep` for the current state of this machine, as far as the caller does not know it. */
export async function findNextStep(
  settings: Settings,
  known: Pick<Situation, "isSignedIn"> & Partial<Situation>,
): Promise<string> {
  const url = localUrl(settings.host, settings.port);
  const { machine } = settings;
  const ready = clients.filter((client) => stateOf(client, machine, { url }).isSetUp === true);
  // Only the last two steps depend on it.
  const isAsked = known.isSignedIn && ready.length > 0;
  const isRunning = known.isRunning ?? (isAsked && (await runningGateway(url)) !== undefined);
  return nextStep({ isSignedIn: known.isSignedIn, clients: ready, isRunning });
}
