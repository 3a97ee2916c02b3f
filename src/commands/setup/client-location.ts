import { existsSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import type { Machine } from "../../config/machine.js";
import type { Client, Target } from "../../setup/client.js";
import { readClientFile, realFile } from "../../setup/client-file.js";
import { editedText } from "../../setup/edited-text.js";
import { findCommand } from "./find-command.js";

/** The settings file of a client on this machine; undefined if it has none, or none at a fixed path. */
export function fileOf({ file }: Client, machine: Machine, given?: string): string | undefined {
  if (file === undefined) return undefined;
  if (given !== undefined) return realFile(resolve(given));
  const paths = file.paths(machine);
  const path = paths.find((each) => existsSync(each)) ?? paths.find((each) => isAbsolute(each));
  return path === undefined ? undefined : realFile(resolve(path));
}

export function stateOf(client: Client, machine: Machine, target: Target) {
  const { name, title, command, isProven } = client;
  const file = fileOf(client, machine);
  const isOnPath = command !== undefined && findCommand(command, machine) !== undefined;
  // A folder of its own in the home directory shows that the client was used here, though it may not be on this PATH.
  const hasFolder = file !== undefined && ownFolder(file, machine) && existsSync(dirname(file));
  return {
    client: name,
    title,
    isInstalled: isOnPath || hasFolder,
    // Whether its file says exactly what `curlew setup` would write; null if there is no file to write.
    isSetUp: client.file === undefined ? null : file !== undefined && isSetUp(client, file, target),
    file: file ?? null,
    isProven,
  };
}

function ownFolder(file: string, { homeDirectory }: Machine): boolean {
  return dirname(file) !== resolve(homeDirectory) && file.startsWith(resolve(homeDirectory));
}

function isSetUp({ file: format }: Client, file: string, target: Target): boolean {
  try {
    const text = readClientFile(file);
    return (
      text !== undefined &&
      format !== undefined &&
      editedText(text, format.format, { wanted: format.wanted(target) }) === text
    );
  } catch {
    return false; // a file that cannot be read does not say it
  }
}
