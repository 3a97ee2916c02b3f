import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { createPrices } from "@curlew/meter/prices/prices.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import type { Settings } from "../config/settings.js";
import type { Client } from "../setup/client.js";
import { clients } from "../setup/clients.js";
import { likelyShell, type Shell, shells } from "../setup/shells.js";
import type { CommandMachine } from "../terminal/command-machine.js";
import { CommandFailure, colorsFor, createColors, printJson, report } from "../terminal/print.js";
import { askConsent } from "../terminal/prompts.js";
import { canChoose } from "../terminal/spinner.js";
import { columnsOf, table } from "../terminal/table.js";
import { defineCommand, flag, type Given, option, word } from "./line/definition.js";
import { accountModels, pickModel } from "./setup/account-models.js";
import { findClientKey } from "./setup/client-key.js";
import { type ClientState, stateOf } from "./setup/client-location.js";
import { type ClientPlan, lastWarnings, planClient, planText, setupWarnings, writePlan } from "./setup/plan-client.js";
import { addressFrom, clientNamed, modelFrom, modelKept, targetArgs, targetFor } from "./setup/target.js";

export const setup = defineCommand({
  args: {
    client: word("The client; without one, all are listed", { isList: true }),
    ...targetArgs,
    model: option("name", "Model for the client to use (default: that of the last setup, or auto)"),
    file: option("file", "The client's settings file, if not where it usually is", { use: "rare" }),
    plugin: flag("Write Curlew's plugin for OpenCode instead of a provider"),
    shell: option(shells.join("|"), "Shell to print lines for, if not the one in SHELL", { use: "rare" }),
    "dry-run": flag("Show the change and write nothing"),
    undo: flag("Undo what was written"),
    yes: flag("Do not ask"),
    json: flag("Print what was done as JSON"),
    ...settingArgs(["host", "port", "keyFile"]),
  },
  examples: [
    ["curlew setup", "list the clients, and which are set up"],
    ["curlew setup claude", "show the change, and ask first"],
    ["curlew setup opencode --model composer-2.5 --yes", "ask nothing"],
    ["curlew setup claude --undo", "undo it"],
  ],
  async run({ args, machine }) {
    const { settings } = loadFrom(args, machine);
    const given = addressFrom(args, settings);
    const named = modelFrom(args);
    const shell = shellFrom(args.shell, machine);
    const [name, ...rest] = args._;
    if (rest.length > 0) throw new CommandFailure(2, "Set up one client at a time.\nSee: curlew setup --help");
    if (name === undefined) {
      if (args.undo === true) throw new CommandFailure(2, "Name the client: curlew setup NAME --undo");
      const states = clients.map((client) => stateOf(client, machine, given));
      report(machine.stdout, states, args.json, (shown) => listed(shown, machine));
      return;
    }
    const client = args.plugin === true ? withPlugin(clientNamed(name), machine.mainFile) : clientNamed(name);
    const isUndo = args.undo === true;
    const isQuiet = args.json === true;
    const mayAsk = canChoose(machine) && args.yes !== true && !isQuiet;
    // A plugin asks for the models itself, and has its own key.
    const isLess = isUndo || args.plugin === true;
    const address = isLess ? given : await findClientKey(machine, client, given, settings, args.file);
    const mayAskCursor = args.url === undefined || address.newKey !== undefined;
    const ask = (model?: string) => accountModels(address, machine, { settings, named: model, mayAskCursor });
    const kept = isLess || named !== undefined ? undefined : modelKept(client, machine, args.file);
    // The account may have lost a model that was chosen earlier.
    const known = isLess ? undefined : await ask(named ?? kept).catch(() => ask(named));
    const picked =
      mayAsk && named === undefined && known?.models !== undefined
        ? await pickModel(machine, known.models, createPrices(settings.prices), { current: known.named })
        : known?.models === undefined
          ? (named ?? kept)
          : known.named;
    const target = targetFor(address, known?.models, picked, settings);
    const warnings = known === undefined ? [] : setupWarnings(client, target, known, machine);
    const { yellow } = colorsFor(machine.stderr, machine.env);
    const warn = (text: string) => isQuiet || machine.stderr.write(`${yellow(text)}\n`);
    for (const warning of warnings) warn(warning);
    const plan = planClient(machine, client, target, args.file, isUndo);
    const last = known === undefined ? [] : lastWarnings(plan, known.isGatewayUp);
    const outcome = await carryOut(machine, plan, args, shell, settings);
    for (const warning of last) warn(warning);
    if (isQuiet) printJson(machine.stdout, { ...outcome, warnings: [...warnings, ...last] });
  },
});

function shellFrom(given: string | undefined, machine: Machine): Shell {
  if (given === undefined) return likelyShell(machine);
  const shell = shells.find((each) => each === given);
  if (shell !== undefined) return shell;
  throw new CommandFailure(2, `--shell must be ${shells.join(", ")}, not ${JSON.stringify(given)}.`);
}

async function carryOut(machine: CommandMachine, plan: ClientPlan, args: Given, shell: Shell, settings: Settings) {
  const { "dry-run": isDry = false, yes: hasConsent = false, json: isQuiet = false } = args;
  const { client, target, change, isUndo, isNeeded } = plan;
  const colors = colorsFor(machine.stdout, machine.env);
  const say = (text: string) => isQuiet || machine.stdout.write(`${text}\n`);
  const notes = isUndo ? [] : client.notes(target, shell);
  const none = { client: client.name, file: change?.file ?? null, backup: null, model: target.model, diff: "", notes };
  if (!isNeeded) {
    if (isUndo && !isDry) await writePlan(plan, settings);
    if (isUndo) say(`There is nothing to undo for ${client.title}.`);
    else if (change !== undefined) say(`${client.title} is already set up: ${change.file}`);
    for (const note of notes) say(note);
    return { ...none, change: "none" };
  }
  const diff = planText(plan, isQuiet ? createColors(false) : colors);
  for (const text of [diff, ...(isUndo ? [] : (client.savings ?? []))]) say(text);
  const outcome = { ...none, diff, backup: change?.backup ?? null };
  if (isDry) {
    say("Nothing was written.");
    return { ...outcome, change: "planned" };
  }
  if (!hasConsent && !(await askConsent(machine, isUndo ? "Undo this?" : "Write this?"))) {
    const why = machine.stdin.isTTY ? "" : ": there is no terminal to confirm on. Re-run with --yes";
    throw new CommandFailure(1, `Nothing was written${why}.`);
  }
  const written = await writePlan(plan, settings);
  say(colors.green(isUndo ? `Restored ${client.title}'s settings.` : `${client.title} is set up.`));
  for (const line of [...written, ...notes]) say(line);
  return { ...outcome, change: isUndo ? "undone" : "written" };
}

/** Shortens the home folder on a terminal; scripts get full paths. */
function shownPath(path: string, { stdout, homeDirectory }: CommandMachine): string {
  const home = `${homeDirectory}${sep}`;
  return stdout.isTTY && path.startsWith(home) ? `~${sep}${path.slice(home.length)}` : path;
}

function listed(states: readonly ClientState[], machine: CommandMachine): string {
  const { dim } = colorsFor(machine.stdout, machine.env);
  const rows = states.map(({ client, title, isInstalled, isSetUp, isProven, file }) => [
    client,
    title,
    isInstalled ? "yes" : "-",
    isSetUp === null ? "by hand" : isSetUp ? "yes" : "-",
    isProven ? "yes" : "-",
    shownPath(file ?? "", machine),
  ]);
  const names = ["NAME", "CLIENT", "INSTALLED", "SET UP", "TESTED", "FILE"];
  // A narrow terminal drops the titles, then the files.
  const shown = table(names, rows, { dim, width: columnsOf(machine.stdout), spare: [1, 5] });
  return `${shown}\nSet one up: curlew setup NAME    Start one, nothing written: curlew run NAME\n`;
}

function withPlugin(client: Client, mainFile: string): Client {
  if (client.withPlugin === undefined) {
    throw new CommandFailure(2, `There is no plugin for ${client.title}. Run: curlew setup ${client.name}`);
  }
  // Beside the running program, because another package may have this name.
  return client.withPlugin(new URL("opencode", pathToFileURL(realpathSync(mainFile))));
}
