import { didYouMean } from "@curlew/gateway/system/closest.js";
import {
  isKeyName,
  type KeyLimits,
  listLimits,
  MAX_KEYS,
  makeKey,
  NAME_RULE,
  readKeys,
  type StoredKey,
} from "@curlew/meter/keys/index.js";
import { midnight } from "@curlew/meter/ledger/index.js";
import { PLAYGROUND } from "@curlew/page/access/index.js";
import { keysFile } from "../app/prepare/own-files.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import type { Settings } from "../config/settings.js";
import type { CommandMachine } from "../terminal/command-machine.js";
import { CommandFailure, colorsFor, orFail, report } from "../terminal/print.js";
import { askConsent } from "../terminal/prompts.js";
import { folded, table } from "../terminal/table.js";
import { warnOn, withLedger } from "./journal/with-ledger.js";
import { changedLimits, limitArgs, namesLimits, noteUnpriced, setsDollars } from "./keys/read-limits.js";
import { type CommandGroup, flag, type Given, subCommand } from "./line/definition.js";
import { editKeys } from "./setup/client-key.js";

const SEEN_DAYS = 7;

const name = { type: "positional", required: true, description: "The key's name" } as const;
const yes = flag("Do not ask");
const common = { json: flag("Print JSON"), ...settingArgs([]) } as const;

export const keys: CommandGroup = {
  examples: [
    ["curlew keys add laptop", "make a key for one client"],
    ["curlew keys limit laptop --day-tokens 2000000", "set what it may use"],
    ["curlew keys revoke laptop", "end it"],
  ],
  usual: "list",
  subCommands: {
    add: subCommand("Make a key and show it once", {
      examples: [
        ["curlew keys add laptop", ""],
        ["curlew keys add ci --day-dollars 2.50 --hour-requests 100", ""],
      ],
      args: { name, ...limitArgs, yes, ...common },
      run: ({ args, machine }) => add(keysFor(machine, args, args.name)),
    }),
    list: subCommand("List the keys and their limits", {
      examples: [["curlew keys list --json", ""]],
      args: common,
      run: ({ args, machine }) => list(keysFor(machine, args)),
    }),
    limit: subCommand("Change the limits of a key", {
      examples: [
        ["curlew keys limit laptop --day-tokens 2000000", "set a limit"],
        ["curlew keys limit laptop --day-tokens none", "remove it"],
      ],
      args: { name, ...limitArgs, ...common },
      run({ args, machine }) {
        if (!namesLimits(args)) {
          throw new CommandFailure(2, "Name a limit, such as --day-tokens 2000000, or --day-tokens none.");
        }
        return limit(keysFor(machine, args, args.name));
      },
    }),
    revoke: subCommand("Revoke a key", {
      examples: [["curlew keys revoke laptop", ""]],
      args: { name, ...common },
      run: ({ args, machine }) => revoke(keysFor(machine, args, args.name)),
    }),
    off: subCommand("Remove all keys, so that clients on this machine need none", {
      examples: [["curlew keys off --yes", ""]],
      args: { yes, ...common },
      run: ({ args, machine }) => off(keysFor(machine, args)),
    }),
  },
};

type KeysOptions = ReturnType<typeof keysFor>;

function keysFor(machine: CommandMachine, args: Given, name = "") {
  const { settings } = loadFrom(args, machine);
  const words = (why: string) => `${why}\nFix it, or remove it and add the keys again.`;
  const keys = orFail(() => readKeys(keysFile(settings)), { exitCode: 1, words });
  return { machine, settings, keys, name, args, wantsJson: args.json === true };
}

async function add({ machine, settings, keys: known, name, args, wantsJson }: KeysOptions): Promise<void> {
  if (!isKeyName(name)) throw new CommandFailure(2, `The name of a key has ${NAME_RULE}.`);
  // The ledger books by name, so both would count against the same limits.
  if (name === PLAYGROUND) throw new CommandFailure(2, `${name} is reserved for the page. Choose another name.`);
  const limits = changedLimits({}, args);
  if (known === undefined && settings.key === undefined) await confirmFirst(machine, settings, args.yes === true);
  const { secret, stored } = makeKey(name, limits, Date.now());
  let isFirst = "";
  await editKeys(settings, (keys, write) => {
    if (keys.some((each) => each.name === name)) {
      throw new CommandFailure(1, `There is already a key ${name}. Revoke it first, or choose another name.`);
    }
    if (keys.length >= MAX_KEYS) throw new CommandFailure(1, `There are ${MAX_KEYS} keys already. Revoke some first.`);
    if (keys.length === 0) isFirst = " From now on every client needs a key, even on this machine.";
    write([...keys, stored]);
  });
  // Only the key goes to stdout, for scripts.
  report(machine.stdout, { name, key: secret, limits }, wantsJson, () => `${secret}\n`);
  if (setsDollars(args)) noteUnpriced(settings, machine.stderr);
  if (wantsJson) return;
  const said = `This key is shown only once. Enter it as the client's API key.${isFirst}\n`;
  machine.stderr.write(folded(machine.stderr, said));
}

/** Asks before the first key shuts out the clients that have used the gateway without one. */
async function confirmFirst(machine: CommandMachine, settings: Settings, hasConsent: boolean): Promise<void> {
  const clients = await withLedger(settings, warnOn(machine.stderr), (reader) => {
    const days = reader.rollUps("day", midnight(Date.now(), 1 - SEEN_DAYS), Number.MAX_SAFE_INTEGER);
    return new Set(days.map(({ client }) => client || "unknown"));
  });
  for (const own of [PLAYGROUND, "curlew"]) clients.delete(own); // the page, and the first question of `curlew`
  if (clients.size === 0) return;
  const who = clients.size === 1 ? "1 client has" : `${clients.size} clients have`;
  const said = `${who} used this gateway without a key in the last ${SEEN_DAYS} days, and will be refused: ${[...clients].join(", ")}.\nAfterwards, curlew setup NAME gives each one a key.\n`;
  machine.stderr.write(folded(machine.stderr, said));
  if (hasConsent || (await askConsent(machine, "Make the key anyway?"))) return;
  throw new CommandFailure(1, "No key was made. To skip the question, add --yes.");
}

function list({ machine, keys = [], wantsJson }: KeysOptions): void {
  const shown = keys.map(({ name, created, limits }) => ({ name, created, limits }));
  report(machine.stdout, shown, wantsJson, () => {
    const rows = shown.map(({ name, created, limits }) => [name, created.slice(0, 10), limitsText(limits)]);
    return rows.length === 0
      ? "There are no named keys. To make one: curlew keys add NAME\n"
      : table(["NAME", "ADDED", "LIMITS"], rows, { dim: colorsFor(machine.stdout, machine.env).dim });
  });
}

async function limit({ machine, settings, name, args, wantsJson }: KeysOptions): Promise<void> {
  let limits: KeyLimits = {};
  await editKeys(settings, (keys, write) => {
    const key = keyNamed(name, keys);
    limits = changedLimits(key.limits, args);
    write(keys.map((each) => (each === key ? { ...each, limits } : each)));
  });
  report(machine.stdout, { name, limits }, wantsJson, () => `Limits of ${name}: ${limitsText(limits)}.\n`);
  if (setsDollars(args)) noteUnpriced(settings, machine.stderr);
}

async function revoke({ machine, settings, name, wantsJson }: KeysOptions): Promise<void> {
  let left = 0;
  await editKeys(settings, (keys, write) => {
    const key = keyNamed(name, keys);
    left = keys.length - 1;
    write(keys.filter((each) => each !== key));
  });
  report(machine.stdout, { revoked: name, left }, wantsJson, () => `The key of ${name} is revoked.\n`);
  // Revoking the last key must not disable authentication.
  if (left === 0 && !wantsJson) {
    const said =
      "It was the last one. Clients still need a key: the gateway stays closed. To let every program on this machine in: curlew keys off\n";
    machine.stderr.write(folded(machine.stderr, said));
  }
}

async function off({ machine, settings, keys = [], args, wantsJson }: KeysOptions): Promise<void> {
  const then =
    settings.key === undefined
      ? "A gateway then lets in every program on this machine; one that others can reach, or that has CURLEW_KEY, stays closed."
      : "The gateway still requires its own key: CURLEW_KEY or --key-file.";
  if (args.yes !== true && !(await askConsent(machine, `Remove all named keys (${keys.length})? ${then}`))) {
    throw new CommandFailure(1, "Nothing was changed. To skip the question, add --yes.");
  }
  await editKeys(settings, (_, write) => write("off"));
  const said = `All named keys are removed (${keys.length}). ${then}\n`;
  report(machine.stdout, { removed: keys.length }, wantsJson, () => folded(machine.stdout, said));
}

function keyNamed(name: string, keys: readonly StoredKey[]): StoredKey {
  const key = keys.find((each) => each.name === name);
  if (key !== undefined) return key;
  const names = keys.map((each) => each.name);
  throw new CommandFailure(1, `There is no key of that name.${didYouMean(name, names)}\nSee: curlew keys list`);
}

/** `1000000 tokens a day, 50 requests an hour` */
function limitsText(limits: KeyLimits): string {
  const per = { hour: "an hour", day: "a day", conversation: "a conversation" };
  const texts = listLimits(limits).map(({ span, unit, max }) => `${max} ${unit} ${per[span]}`);
  return texts.join(", ") || "none";
}
