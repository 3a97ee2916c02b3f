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
import { CommandFailure, colorsFor, orFail, report } from "../terminal/print.js";
import { askConsent } from "../terminal/prompts.js";
import { folded, table } from "../terminal/table.js";
import { withLedger } from "./journal/with-ledger.js";
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
      run: ({ args }) => add(keysFor(args, args.name)),
    }),
    list: subCommand("List the keys and their limits", {
      examples: [["curlew keys list --json", ""]],
      args: common,
      run: ({ args }) => list(keysFor(args)),
    }),
    limit: subCommand("Change the limits of a key", {
      examples: [
        ["curlew keys limit laptop --day-tokens 2000000", "set a limit"],
        ["curlew keys limit laptop --day-tokens none", "remove it"],
      ],
      args: { name, ...limitArgs, ...common },
      run({ args }) {
        if (!namesLimits(args)) {
          throw new CommandFailure(2, "Name a limit, such as --day-tokens 2000000, or --day-tokens none.");
        }
        return limit(keysFor(args, args.name));
      },
    }),
    revoke: subCommand("Revoke a key", {
      examples: [["curlew keys revoke laptop", ""]],
      args: { name, ...common },
      run: ({ args }) => revoke(keysFor(args, args.name)),
    }),
    off: subCommand("Remove all keys, so that clients on this machine need none", {
      examples: [["curlew keys off --yes", ""]],
      args: { yes, ...common },
      run: ({ args }) => off(keysFor(args)),
    }),
  },
};

type KeysOptions = ReturnType<typeof keysFor>;

function keysFor(args: Given, name = "") {
  const { settings } = loadFrom(args);
  const words = (why: string) => `${why}\nFix it, or remove it and add the keys again.`;
  const keys = orFail(() => readKeys(keysFile(settings)), { exitCode: 1, words });
  return { settings, keys, name, args, wantsJson: args.json === true };
}

async function add({ settings, keys: known, name, args, wantsJson }: KeysOptions): Promise<void> {
  if (!isKeyName(name)) throw new CommandFailure(2, `The name of a key has ${NAME_RULE}.`);
  // The ledger books by name, so both would count against the same limits.
  if (name === PLAYGROUND) throw new CommandFailure(2, `${name} is reserved for the page. Choose another name.`);
  const limits = changedLimits({}, args);
  if (known === undefined && settings.key === undefined) await confirmFirst(settings, args.yes === true);
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
  report({ name, key: secret, limits }, wantsJson, () => `${secret}\n`);
  if (setsDollars(args)) noteUnpriced(settings);
  if (wantsJson) return;
  const said = `This key is shown only once. Enter it as the client's API key.${isFirst}\n`;
  process.stderr.write(folded(process.stderr, said));
}

/** Asks before the first key shuts out the clients that have used the gateway without one. */
async function confirmFirst(settings: Settings, hasConsent: boolean): Promise<void> {
  const clients = await withLedger(settings, (reader) => {
    const days = reader.rollUps("day", midnight(Date.now(), 1 - SEEN_DAYS), Number.MAX_SAFE_INTEGER);
    return new Set(days.map(({ client }) => client.split(/\/v?\d/, 1)[0] || "unknown"));
  });
  for (const own of [PLAYGROUND, "curlew"]) clients.delete(own); // the page, and the first question of `curlew`
  if (clients.size === 0) return;
  const who = clients.size === 1 ? "1 client has" : `${clients.size} clients have`;
  const said = `${who} used this gateway without a key in the last ${SEEN_DAYS} days, and will be refused: ${[...clients].join(", ")}.\nAfterwards, curlew setup NAME gives each one a key.\n`;
  process.stderr.write(folded(process.stderr, said));
  if (hasConsent || (await askConsent("Make the key anyway?"))) return;
  throw new CommandFailure(1, "No key was made. To skip the question, add --yes.");
}

function list({ keys = [], wantsJson }: KeysOptions): void {
  const shown = keys.map(({ name, created, limits }) => ({ name, created, limits }));
  report(shown, wantsJson, () => {
    const rows = shown.map(({ name, created, limits }) => [name, created.slice(0, 10), limitsText(limits)]);
    return rows.length === 0
      ? "There are no named keys. To make one: curlew keys add NAME\n"
      : table(["NAME", "ADDED", "LIMITS"], rows, { dim: colorsFor(process.stdout).dim });
  });
}

async function limit({ settings, name, args, wantsJson }: KeysOptions): Promise<void> {
  let limits: KeyLimits = {};
  await editKeys(settings, (keys, write) => {
    const key = keyNamed(name, keys);
    limits = changedLimits(key.limits, args);
    write(keys.map((each) => (each === key ? { ...each, limits } : each)));
  });
  report({ name, limits }, wantsJson, () => `Limits of ${name}: ${limitsText(limits)}.\n`);
  if (setsDollars(args)) noteUnpriced(settings);
}

async function revoke({ settings, name, wantsJson }: KeysOptions): Promise<void> {
  let left = 0;
  await editKeys(settings, (keys, write) => {
    const key = keyNamed(name, keys);
    left = keys.length - 1;
    write(keys.filter((each) => each !== key));
  });
  report({ revoked: name, left }, wantsJson, () => `The key of ${name} is revoked.\n`);
  // Revoking the last key must not disable authentication.
  if (left === 0 && !wantsJson) {
    const said =
      "It was the last one. Clients still need a key: the gateway stays closed. To let every program on this machine in: curlew keys off\n";
    process.stderr.write(folded(process.stderr, said));
  }
}

async function off({ settings, keys = [], args, wantsJson }: KeysOptions): Promise<void> {
  const then =
    settings.key === undefined
      ? "A gateway then lets in every program on this machine; one that others can reach, or that has CURLEW_KEY, stays closed."
      : "The gateway still requires its own key: CURLEW_KEY or --key-file.";
  if (args.yes !== true && !(await askConsent(`Remove all named keys (${keys.length})? ${then}`))) {
    throw new CommandFailure(1, "Nothing was changed. To skip the question, add --yes.");
  }
  await editKeys(settings, (_, write) => write("off"));
  const said = `All named keys are removed (${keys.length}). ${then}\n`;
  report({ removed: keys.length }, wantsJson, () => folded(process.stdout, said));
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
