import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Machine, NO_HOME } from "@curlew/gateway/system/machine.js";
import type { Settings } from "../../config/settings.js";
import { type Change, planSetup, planUndo, showChange } from "../../setup/change.js";
import { type Client, chosenModel, type Target, targetOf } from "../../setup/client.js";
import { realFile } from "../../setup/client-file.js";
import { UneditableError } from "../../setup/edited-text.js";
import { plainObject } from "../../setup/merge.js";
import { type Colors, CommandFailure, notWritten, orFail } from "../../terminal/print.js";
import type { AccountModels } from "./account-models.js";
import { dropClientKey, setupRecords, storeClientKey } from "./client-key.js";
import { installedClient, isInstalled, pathOf } from "./client-location.js";

export type ClientPlan = ReturnType<typeof planClient>;

/** @throws {CommandFailure} The file is not known, or cannot be edited safely; then the message says what to add by hand. */
export function planClient(machine: Machine, client: Client, target: Target, given?: string, isUndo = false) {
  const fitted = isUndo ? client : installedClient(client, machine);
  const changes = changesOf(machine, fitted, target, given, isUndo);
  // Even if the settings are already gone, an undo must remove their record.
  const needed = changes.filter(({ before, after }) => isUndo || before !== after);
  const isNeeded = changes.some(({ before, after }) => before !== after);
  // The first is that of the client's settings; none if it keeps no settings in a file, or if there is nothing to undo.
  return { client: fitted, target, isUndo, change: changes[0], needed, isNeeded };
}

export function planText({ needed }: ClientPlan, colors: Colors): string {
  return needed.map((change) => showChange(change, colors)).join("");
}

/** Makes the change. Returns what the user should know about it, one thing per entry. */
export async function writePlan(plan: ClientPlan, settings: Settings): Promise<readonly string[]> {
  const { client, target, isUndo, change, needed, isNeeded } = plan;
  const hasKey = target.key !== undefined && change?.after?.includes(target.key) === true;
  if (hasKey) await storeClientKey(target, settings);
  // The settings are written last, because they name the other files, and go first.
  for (const each of isUndo ? needed : needed.toReversed()) {
    try {
      each.make();
    } catch (thrown) {
      if (hasKey && target.newKey !== undefined) await dropClientKey(target.key, settings);
      throw notWritten(each.file, thrown);
    }
  }
  for (const key of isUndo ? (change?.secrets ?? []) : []) await dropClientKey(key, settings);
  if (change === undefined || !isNeeded || isUndo) return [];
  return [
    ...needed.flatMap(({ backup }) => (backup === undefined ? [] : [`The previous file is saved as ${backup}`])),
    // The mode says nothing on Windows, which has its own permissions.
    ...(hasKey && settings.machine.platform !== "win32" && (statSync(change.file).mode & 0o044) !== 0
      ? [`The file now holds the key, and other users of this machine can read it. Run: chmod 600 ${change.file}`]
      : []),
    `To undo it: curlew setup ${client.name} --undo`,
  ];
}

function changesOf(
  machine: Machine,
  client: Client,
  target: Target,
  given: string | undefined,
  isUndo: boolean,
): Change[] {
  const { file: settings } = client;
  if (settings === undefined) return [];
  const path = pathOf(client, machine, given);
  if (path === undefined) {
    throw new CommandFailure(2, `${client.title} has no default settings file. Pass --file FILE`);
  }
  if (given === undefined && path.startsWith(NO_HOME)) {
    const why = `This user has no home folder, so ${client.title} has no default settings file.`;
    throw new CommandFailure(1, `${why} Set HOME, or pass --file FILE`);
  }
  const records = setupRecords(machine);
  const { format, wanted, beside } = settings;
  const words = (why: string) => {
    const byHand = format.print(plainObject(wanted({ ...target, key: target.key && "YOUR_KEY" })));
    return `${realFile(path)} was not changed: ${why}.${isUndo ? "" : `\nAdd this by hand:\n\n${byHand}`}`;
  };
  const plan = () => {
    return Object.entries({ [basename(path)]: settings, ...beside }).flatMap(([name, content]) => {
      const file = realFile(join(dirname(path), name));
      if (isUndo) return planUndo(file, content, records) ?? [];
      return content.wanted === undefined ? [] : planSetup(file, content, target, records);
    });
  };
  return orFail(plan, { exitCode: 1, kind: UneditableError, words });
}

export function setupWarnings(client: Client, target: Target, known: AccountModels, machine: Machine): string[] {
  return [...(isInstalled(client, machine) ? [] : notInstalled(client)), ...modelWarnings(client, target, known)];
}

/** The steps left before a first answer; the client's own notes name the others. */
export function lastWarnings({ client, target, change }: ClientPlan, isUp: boolean): string[] {
  const { url, key = "", newKey } = target;
  return [
    // Some clients keep no key in their files, so none was made.
    ...(newKey === undefined || change?.after?.includes(key) ? [] : [`Make its key: curlew keys add ${client.name}`]),
    ...(isUp ? [] : [`No gateway answers at ${url}. Start it: curlew`]),
  ];
}

/** Why a client cannot be started, and how to install it; empty for clients that are not programs. */
export function notInstalled({ title, command, install }: Client): string[] {
  if (command === undefined) return [];
  const how = install === undefined ? "" : ` ${install.startsWith("https:") ? "See" : "Install it"}: ${install}`;
  return [`${title} is not installed, or ${command} is not on the PATH.${how}`];
}

function modelWarnings(client: Client, target: Target, { models, remedy }: AccountModels): string[] {
  if (models !== undefined) return [];
  const { model } = target;
  const guess = sizeMatters(client, target)
    ? `, and ${target.contextTokens.toLocaleString("en-US")} tokens of context are assumed`
    : "";
  const what = model === "auto" ? "only auto is written" : `${model} is not checked${guess}`;
  return [`Your account's models are unknown, so ${what}. ${remedy}`];
}

function sizeMatters({ file }: Client, target: Target): boolean {
  if (file === undefined) return false;
  const model = chosenModel(target);
  const larger = targetOf(target, { ...model, contextTokens: model.contextTokens + 1 });
  return !isDeepStrictEqual(plainObject(file.wanted(targetOf(target, model))), plainObject(file.wanted(larger)));
}
