import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { loadFrom, settingArgs } from "../config/flags.js";
import { configDirectory, thisMachine } from "../config/machine.js";
import { type Change, planSetup, planUndo } from "../setup/change.js";
import type { Client, Target } from "../setup/client.js";
import { clients } from "../setup/clients.js";
import { UneditableError } from "../setup/edited-text.js";
import { plainObject } from "../setup/merge.js";
import { SetupRecords } from "../setup/record.js";
import { showChange } from "../setup/show-change.js";
import { colorsFor } from "./line/colors.js";
import { CommandFailure } from "./line/command-failure.js";
import { defineCommand } from "./line/definition.js";
import { fileOf, stateOf } from "./setup/client-location.js";
import { clientNamed, targetArgs, targetFrom, withContext } from "./setup/target.js";
import { askConsent } from "./terminal/prompts.js";
import { table } from "./terminal/table.js";

const setupSettings = ["host", "port", "keyFile"] as const;

export const setup = defineCommand({
  args: {
    client: { type: "positional", isList: true, description: "The client; without one, all are listed" },
    ...targetArgs,
    file: { type: "string", description: "The client's settings file, if not where it usually is", valueHint: "file" },
    "dry-run": { type: "boolean", description: "Show the change and write nothing" },
    undo: { type: "boolean", description: "Undo what was written" },
    yes: { type: "boolean", description: "Do not ask" },
    json: { type: "boolean", description: "Print what was done as JSON" },
    ...settingArgs(setupSettings),
  },
  async run({ args }) {
    const { settings } = loadFrom(args, setupSettings);
    const { target, isKnown } = await withContext(targetFrom(args, settings));
    const [name, ...rest] = args._;
    if (rest.length > 0) throw new CommandFailure(2, "Set up one client at a time.\nSee: curlew setup --help");
    if (name === undefined) {
      const states = clients.map((client) => stateOf(client, thisMachine(), target));
      process.stdout.write(args.json ? `${JSON.stringify(states, null, 2)}\n` : listed(states));
      return;
    }
    const client = clientNamed(name);
    if (!isKnown && target.model !== "auto" && !args.undo && hasContextWindow(client, target)) {
      const tokens = target.contextTokens.toLocaleString("en-US");
      process.stderr.write(
        `The gateway at ${target.url} could not be asked how much ${target.model} reads, so ${tokens} tokens are assumed. Run this again while it is running.\n`,
      );
    }
    const asked: Asked = {
      file: args.file,
      isDry: args["dry-run"] === true,
      isUndo: args.undo === true,
      hasConsent: args.yes === true,
      isQuiet: args.json === true,
    };
    const outcome = await carryOut(client, plan(client, target, asked), target, asked);
    if (args.json) process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
  },
});

/** Whether the client's settings depend on the size of the model's context. */
function hasContextWindow({ file }: Client, target: Target): boolean {
  if (file === undefined) return false;
  const other = { ...target, contextTokens: target.contextTokens + 1 };
  return !isDeepStrictEqual(plainObject(file.wanted(target)), plainObject(file.wanted(other)));
}

interface Asked {
  readonly file: string | undefined;
  readonly isDry: boolean;
  readonly isUndo: boolean;
  readonly hasConsent: boolean;
  /** Only the outcome is printed. */
  readonly isQuiet: boolean;
}

/** Undefined if there is nothing to write or to undo. */
function plan(client: Client, target: Target, { file: given, isUndo }: Asked): Change | undefined {
  const machine = thisMachine();
  const file = fileOf(client, machine, given);
  if (client.file === undefined) return undefined;
  if (file === undefined) {
    throw new CommandFailure(2, `${client.title} keeps its settings at no fixed path. Name the file: --file FILE`);
  }
  const records = new SetupRecords(configDirectory(machine));
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

async function carryOut(
  client: Client,
  change: Change | undefined,
  target: Target,
  { isDry, isUndo, hasConsent, isQuiet }: Asked,
) {
  const colors = colorsFor(process.stdout);
  const say = (text: string) => isQuiet || process.stdout.write(`${text}\n`);
  const notes = isUndo ? [] : client.notes(target);
  const none = { client: client.name, file: change?.file ?? null, backup: null, diff: "", notes };
  if (change === undefined || change.before === change.after) {
    if (isUndo && !isDry) change?.make(); // the record of it has no use any more
    if (isUndo) say(`There is nothing to undo for ${client.title}.`);
    else if (change !== undefined) say(`${client.title} is set up already: ${change.file}`);
    for (const note of notes) say(note);
    return { ...none, change: "none" };
  }
  const diff = showChange(change, isQuiet ? colorsFor({}) : colors);
  say(diff);
  const outcome = { ...none, diff, backup: change.backup ?? null };
  if (isDry) {
    say("Nothing was written.");
    return { ...outcome, change: "planned" };
  }
  if (!hasConsent && !(await askConsent(isUndo ? "Undo this?" : "Write this?"))) {
    throw new CommandFailure(
      1,
      process.stdin.isTTY
        ? "Nothing was written."
        : "Nothing was written: there is no terminal to confirm on. Re-run with --yes.",
    );
  }
  change.make();
  if (isUndo) say(colors.green(`${client.title} is as it was.`));
  else say(colors.green(`${client.title} is set up.`));
  if (!isUndo && change.backup !== undefined) say(`The earlier file is kept as ${change.backup}`);
  if (!isUndo && target.key && change.after?.includes(target.key) && canOthersRead(change.file)) {
    say(
      colors.yellow(
        `The file holds the key now, and other users of this machine can read it. Run: chmod 600 ${change.file}`,
      ),
    );
  }
  for (const note of notes) say(note);
  if (!isUndo) say(`To undo it: curlew setup ${client.name} --undo`);
  return { ...outcome, change: isUndo ? "undone" : "written" };
}

/** The mode says nothing on Windows, which has other permissions. */
function canOthersRead(file: string): boolean {
  return process.platform !== "win32" && (statSync(file).mode & 0o044) !== 0;
}

function listed(states: readonly ReturnType<typeof stateOf>[]): string {
  const { dim } = colorsFor(process.stdout);
  const rows = states.map(({ client, title, isInstalled, isSetUp, isProven, file }) => [
    client,
    title,
    isInstalled ? "yes" : "-",
    isSetUp === null ? "by hand" : isSetUp ? "yes" : "-",
    isProven ? "yes" : "-",
    file ?? "",
  ]);
  const head = ["NAME", "CLIENT", "INSTALLED", "SET UP", "TESTED", "FILE"];
  return `${table(head, rows, { dim })}\nSet one up: curlew setup NAME    Start one, nothing written: curlew run NAME\n`;
}
