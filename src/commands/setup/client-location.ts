import { existsSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import type { Machine } from "../../config/machine.js";
import type { Client, GatewayAddress } from "../../setup/client.js";
import { readClientFile, realFile } from "../../setup/client-file.js";
import { readSettings } from "../../setup/edited-text.js";
import type { Format } from "../../setup/formats/format.js";
import { findCommand } from "../terminal/find-command.js";

/** The settings file of a client on this machine; undefined if it has none, or none at a fixed path. */
export function fileOf({ file }: Client, machine: Machine, given?: string): string | undefined {
  if (file === undefined) return undefined;
  if (given !== undefined) return realFile(resolve(given));
  const paths = file.paths(machine);
  const path = paths.find((each) => existsSync(each)) ?? paths.find((each) => isAbsolute(each));
  return path === undefined ? undefined : realFile(resolve(path));
}

/** A client on this machine, as `curlew setup` lists it. */
export interface ClientState {
  readonly client: string;
  readonly title: string;
  readonly isInstalled: boolean;
  /** Whether its file names the gateway's address; null if there is no file to write. */
  readonly isSetUp: boolean | null;
  readonly file: string | null;
  readonly isProven: boolean;
}

export function stateOf(client: Client, machine: Machine, { url }: Pick<GatewayAddress, "url">): ClientState {
  const { name, title, isProven } = client;
  const file = fileOf(client, machine);
  return {
    client: name,
    title,
    isInstalled: isInstalled(client, machine),
    isSetUp: client.file === undefined ? null : file !== undefined && names(file, client.file.format, url),
    file: file ?? null,
    isProven,
  };
}

/** Whether a client is on this machine, as far as can be seen: a folder of its own shows that it was used here. */
export function isInstalled(client: Client, machine: Machine): boolean {
  if (client.command !== undefined && findCommand(client.command, machine) !== undefined) return true;
  const file = fileOf(client, machine);
  return file !== undefined && ownFolder(file, machine) && existsSync(dirname(file));
}

function ownFolder(file: string, { homeDirectory }: Machine): boolean {
  return dirname(file) !== resolve(homeDirectory) && file.startsWith(resolve(homeDirectory));
}

/** Which model the file names does not matter here: the user may have chosen another since. */
function names(file: string, format: Format, url: string): boolean {
  try {
    const text = readClientFile(file);
    return text !== undefined && hasAddress(readSettings(text, format), url);
  } catch {
    return false; // a file that cannot be read does not say it
  }
}

function hasAddress(value: unknown, url: string): boolean {
  if (typeof value === "string") return value === url || value.startsWith(`${url}/`);
  return typeof value === "object" && value !== null && Object.values(value).some((each) => hasAddress(each, url));
}
