import { statSync } from "node:fs";
import type { Machine } from "../../config/machine.js";
import { placesOf, statePath } from "../../config/places.js";
import { type Change, planSetup, planUndo } from "../../setup/change.js";
import type { Client, Target } from "../../setup/client.js";
import { UneditableError } from "../../setup/edited-text.js";
import { plainObject } from "../../setup/merge.js";
import { SetupRecords } from "../../setup/record.js";
import { showChange } from "../../setup/show-change.js";
import type { Colors } from "../line/colors.js";
import { CommandFailure } from "../line/command-failure.js";
import { fileOf } from "./client-location.js";

/** What setting up a client, or undoing it, would write. */
export interface ClientPlan {
  readonly client: Client;
  readonly target: Target;
  readonly isUndo: boolean;
  /** Undefined if the client keeps no settings in a file, or if there is nothing to undo. */
  readonly change: Change | undefined;
  /** Whether something would be written. */
  readonly isNeeded: boolean;
}

interface PlanOptions {
  readonly machine: Machine;
  /** The client's settings file, if not where it usually is. */
  readonly file?: string | undefined;
  readonly isUndo?: boolean;
}

/** @throws {CommandFailure} The file is not known, or cannot be edited safely; then the message says what to add by hand. */
export function planClient(
  client: Client,
  target: Target,
  { machine, file: given, isUndo = false }: PlanOptions,
): ClientPlan {
  const change = changeOf(client, target, { machine, file: given, isUndo });
  return { client, target, isUndo, change, isNeeded: change !== undefined && change.before !== change.after };
}

/** The change as a diff without secrets; empty if there is none. */
export function planText({ change, isNeeded }: ClientPlan, colors: Colors): string {
  return change !== undefined && isNeeded ? showChange(change, colors) : "";
}

/** Makes the change. Returns what the user should know about it, one thing per entry. */
export function writePlan({ client, target, isUndo, change, isNeeded }: ClientPlan): readonly string[] {
  // The record of what is undone already has no use any more.
  if (isNeeded || isUndo) change?.make();
  if (change === undefined || !isNeeded || isUndo) return [];
  const hasKey = target.key !== undefined && change.after?.includes(target.key) === true;
  return [
    ...(change.backup === undefined ? [] : [`The earlier file is kept as ${change.backup}`]),
    ...(hasKey && canOthersRead(change.file)
      ? [`The file holds the key now, and other users of this machine can read it. Run: chmod 600 ${change.file}`]
      : []),
    `To undo it: curlew setup ${client.name} --undo`,
  ];
}

function changeOf(client: Client, target: Target, { machine, file: given, isUndo }: PlanOptions): Change | undefined {
  if (client.file === undefined) return undefined;
  const file = fileOf(client, machine, given);
  if (file === undefined) {
    throw new CommandFailure(2, `${client.title} keeps its settings at no fixed path. Name the file: --file FILE`);
  }
  const records = new SetupRecords(statePath(placesOf(machine), "setup"));
  try {
    return isUndo ? planUndo(file, client.file.format, records) : planSetup(file, client.file, target, records);
  } catch (thrown) {
    if (!(thrown instanceof UneditableError)) throw thrown;
    const byHand = client.file.format.print(
      plainObject(client.file.wanted({ ...target, key: target.key && "YOUR_KEY" })),
    );
    const advice = isUndo ? "" : `\nAdd this by hand:\n\n${byHand}`;
    throw new CommandFailure(1, `${file} was left as it is: ${thrown.message}.${advice}`, { cause: thrown });
  }
}

/** The mode says nothing on Windows, which has other permissions. */
function canOthersRead(file: string): boolean {
  return process.platform !== "win32" && (statSync(file).mode & 0o044) !== 0;
}
