import { keysFile } from "../app/prepare/own-files.js";
import { didYouMean } from "../closest.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import {
  isKeyName,
  type KeyLimits,
  listLimits,
  MAX_KEYS,
  makeKey,
  NAME_RULE,
  readKeys,
  type StoredKey,
  writeKeys,
} from "../keys/index.js";
import { PLAYGROUND } from "../page/index.js";
import { changedLimits, limitArgs, namesLimits } from "./keys/read-limits.js";
import { colorsFor } from "./line/colors.js";
import { CommandFailure } from "./line/command-failure.js";
import { type CommandGroup, subCommand } from "./line/definition.js";
import { folded } from "./line/folded.js";
import { table } from "./terminal/table.js";

interface KeysOptions {
  readonly path: string;
  readonly keys: readonly StoredKey[];
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly wantsJson: boolean;
}

const name = { type: "positional", required: true, description: "The key's name" } as const;
const common = { json: { type: "boolean", description: "Print JSON" }, ...settingArgs([]) } as const;

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
      args: { name, ...limitArgs, ...common },
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
        ["curlew keys limit laptop --day-tokens none", "take it away"],
      ],
      args: { name, ...limitArgs, ...common },
      run({ args }) {
        if (!namesLimits(args)) {
          throw new CommandFailure(2, "Name a limit, such as --day-tokens 2000000, or --day-tokens none.");
        }
        limit(keysFor(args, args.name));
      },
    }),
    revoke: subCommand("Revoke a key", {
      examples: [["curlew keys revoke laptop", ""]],
      args: { name, ...common },
      run: ({ args }) => revoke(keysFor(args, args.name)),
    }),
  },
};

function keysFor(args: Readonly<Record<string, unknown>>, name = ""): KeysOptions {
  const path = keysFile(loadFrom(args, []).settings);
  return { path, keys: keysAt(path), name, args, wantsJson: args.json === true };
}

function add({ path, keys: before, name, args, wantsJson }: KeysOptions): void {
  if (!isKeyName(name)) throw new CommandFailure(2, `The name of a key has ${NAME_RULE}.`);
  // The ledger knows both by their names, so one would use up, or take over, what counts against the ceilings of the other.
  if (name === PLAYGROUND) throw new CommandFailure(2, `${name} is the name of the page's own requests. Take another.`);
  if (before.some((each) => each.name === name)) {
    throw new CommandFailure(1, `There is a key ${name} already. Revoke it first, or take another name.`);
  }
  if (before.length >= MAX_KEYS) throw new CommandFailure(1, `There are ${MAX_KEYS} keys already. Revoke some first.`);
  const limits = changedLimits({}, args);
  const { secret, stored } = makeKey(name, limits, Date.now());
  writeKeys(path, [...before, stored]);
  // The key alone goes to standard output, so that a script can take it from there.
  process.stdout.write(wantsJson ? json({ name, key: secret, limits }) : `${secret}\n`);
  if (wantsJson) return;
  const isFirst = before.length === 0 ? " From now on every client needs a key, even on this machine." : "";
  const said = `This key is shown only once. Enter it as the API key of the client.${isFirst}\n`;
  process.stderr.write(folded(process.stderr, said));
}

function list({ keys, wantsJson }: KeysOptions): void {
  const shown = keys.map(({ name, created, limits }) => ({ name, created, limits }));
  if (wantsJson) {
    process.stdout.write(json(shown));
    return;
  }
  const { dim } = colorsFor(process.stdout);
  const rows = shown.map(({ name, created, limits }) => [name, created.slice(0, 10), limitsText(limits)]);
  process.stdout.write(
    rows.length === 0
      ? "There are no named keys. To make one: curlew keys add NAME\n"
      : table(["NAME", "ADDED", "LIMITS"], rows, { dim }),
  );
}

function limit({ path, keys, name, args, wantsJson }: KeysOptions): void {
  const key = keyNamed(name, keys);
  const limits = changedLimits(key.limits, args);
  writeKeys(
    path,
    keys.map((each) => (each === key ? { ...each, limits } : each)),
  );
  process.stdout.write(wantsJson ? json({ name, limits }) : `Limits of ${name}: ${limitsText(limits)}.\n`);
}

function revoke({ path, keys, name, wantsJson }: KeysOptions): void {
  const key = keyNamed(name, keys);
  const left = keys.filter((each) => each !== key);
  writeKeys(path, left);
  if (wantsJson) {
    process.stdout.write(json({ revoked: name, left: left.length }));
    return;
  }
  process.stdout.write(`The key of ${name} is revoked.\n`);
  // Revoking a key must never open a door.
  if (left.length === 0) {
    const said = `It was the last one, and clients still need a key. Add one, or remove ${path} and restart the gateway to let every client on this machine in.\n`;
    process.stderr.write(folded(process.stderr, said));
  }
}

function keyNamed(name: string, keys: readonly StoredKey[]): StoredKey {
  const key = keys.find((each) => each.name === name);
  if (key !== undefined) return key;
  const hint = didYouMean(
    name,
    keys.map((each) => each.name),
  );
  throw new CommandFailure(1, `There is no key of that name.${hint}\nSee: curlew keys list`);
}

function keysAt(path: string): readonly StoredKey[] {
  try {
    return readKeys(path) ?? [];
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new CommandFailure(1, `${reason}\nMend it, or remove it and add the keys again.`, { cause: thrown });
  }
}

/** `1000000 tokens a day, 50 requests an hour` */
function limitsText(limits: KeyLimits): string {
  const per = { hour: "an hour", day: "a day", conversation: "a conversation" };
  return (
    listLimits(limits)
      .map(({ span, unit, max }) => `${max} ${unit} ${per[span]}`)
      .join(", ") || "none"
  );
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
