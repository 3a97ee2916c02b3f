import { didYouMean } from "@curlew/gateway/system/closest.js";
import { whileLocked } from "@curlew/gateway/system/file-lock.js";
import {
  type Ceilings,
  isLimitName,
  type Limits,
  LimitsError,
  limitNames,
  readLimits,
  withAllowed,
  withLimit,
  withoutAllowed,
  withoutLimit,
  writeLimits,
} from "@curlew/meter/spend/index.js";
import { limitsFile } from "../app/prepare/own-files.js";
import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import type { CommandMachine } from "../terminal/command-machine.js";
import { CommandFailure, colorsFor, notWritten, orFail, report } from "../terminal/print.js";
import { columnsOf } from "../terminal/table.js";
import { noteUnpriced } from "./keys/read-limits.js";
import { describeLimits, reportLimits } from "./limits/report.js";
import { type CommandGroup, flag, type Given, option, subCommand } from "./line/definition.js";

/** Conversation names as the gateway's refusals give them. */
const CONVERSATION = /^[\w-]{1,100}$/;

type Edited = { readonly limits: Limits; readonly said: string };

const common = { json: flag("Print JSON"), ...settingArgs(upstreamSettings) } as const;
const limitName = { type: "positional", required: true, description: "The limit, such as day.tokens" } as const;
const conversation = {
  type: "positional",
  required: true,
  description: "The conversation, as named in the refusal",
} as const;

export const limits: CommandGroup = {
  examples: [
    ["curlew limits", "all limits and how much of each is used"],
    ["curlew limits set day.tokens 5000000", "refuse more in one day"],
    ["curlew limits set plan.percent 80", "refuse beyond 80% of the plan"],
  ],
  usual: "show",
  subCommands: {
    show: subCommand("Show all limits and how much of each is used", {
      examples: [["curlew limits show --json", ""]],
      args: common,
      run: ({ args, machine }) => show(machine, args),
    }),
    set: subCommand("Set a limit", {
      examples: [
        ["curlew limits set day.tokens 5000000", ""],
        ["curlew limits set plan.percent 80 --models 'claude-*'", ""],
      ],
      args: {
        limit: limitName,
        value: { type: "positional", required: true, description: "The new limit" },
        models: option("list", "For plan.percent: only for these models, such as claude-*"),
        ...common,
      },
      async run({ args, machine }) {
        const { limit, value, models } = args;
        if (models !== undefined && limit !== "plan.percent") {
          throw new CommandFailure(2, "--models belongs to: curlew limits set plan.percent PERCENT --models LIST");
        }
        const names = models?.split(",").map((each) => each.trim());
        await apply(machine, args, (before) => set(before, limit, value, names));
        if (limit.endsWith(".dollars")) noteUnpriced(loadFrom(args, machine).settings, machine.stderr);
      },
    }),
    unset: subCommand("Remove a limit, or the allowance of a conversation", {
      examples: [["curlew limits unset day.tokens", ""]],
      args: { limit: { ...limitName, description: `${limitName.description}; or a conversation` }, ...common },
      run: ({ args, machine }) => apply(machine, args, (before) => unset(before, args.limit)),
    }),
    allow: subCommand("Let one conversation continue past its limit", {
      examples: [["curlew limits allow c-3f2a9c01 --tokens 1000000", ""]],
      args: {
        conversation,
        tokens: option("n", "Up to this many tokens"),
        requests: option("n", "Up to this many requests"),
        dollars: option("n", "Up to this many dollars"),
        ...common,
      },
      run({ args, machine }) {
        const { tokens, requests, dollars } = args;
        const ceilings = readCeilings({ tokens, requests, dollars });
        return apply(machine, args, (before) => allow(before, args.conversation, ceilings));
      },
    }),
  },
};

async function show(machine: CommandMachine, args: Given): Promise<void> {
  const { settings } = loadFrom(args, machine);
  const before = orFail(() => readLimits(limitsFile(settings)), limitsFailure);
  const found = await reportLimits(machine, settings, before);
  const { stdout } = machine;
  report(
    machine.stdout,
    found,
    args.json === true,
    (shown) => describeLimits(shown, colorsFor(stdout, machine.env), columnsOf(stdout)),
    toJson,
  );
}

async function apply(machine: CommandMachine, args: Given, edit: (before: Limits) => Edited): Promise<void> {
  const path = limitsFile(loadFrom(args, machine).settings);
  const { limits: after, said } = await whileLocked(path, () => {
    const before = orFail(() => readLimits(path), limitsFailure);
    const edited = orFail(() => edit(before), { ...limitsFailure, exitCode: 2 });
    writeLimits(path, edited.limits);
    return edited;
  }).catch((thrown: unknown) => {
    throw notWritten(path, thrown);
  });
  report(machine.stdout, after, args.json === true, () => `${said} Running gateways apply it within a second.\n`);
}

function set(before: Limits, name: string, value: string, models: readonly string[] | undefined): Edited {
  const known = knownName(name);
  const limits = withLimit(before, known, readNumber(known, value), models);
  const which = models === undefined ? "" : ` for ${models.join(", ")}`;
  const beyond = known.startsWith("client.") ? "have to wait" : "are refused";
  return { limits, said: `${known} is now ${value}${which}; requests beyond it ${beyond}.` };
}

function unset(before: Limits, name: string): Edited {
  if (!isLimitName(name) && Object.hasOwn(before.allowed ?? {}, name)) {
    const said = `The conversation ${name} has the usual limits again.`;
    return { limits: withoutAllowed(before, name), said };
  }
  const known = knownName(name);
  return { limits: withoutLimit(before, known), said: `${known} is no longer set.` };
}

function allow(before: Limits, name: string, ceilings: Ceilings): Edited {
  if (!CONVERSATION.test(name)) {
    const how = "Use the conversation name in the refusal: curlew limits allow CONVERSATION";
    throw new CommandFailure(2, how);
  }
  return { limits: withAllowed(before, name, ceilings), said: `The conversation ${name} may continue.` };
}

function knownName(name: string) {
  if (isLimitName(name)) return name;
  const all = `The limits are ${limitNames.join(", ")}.`;
  throw new CommandFailure(2, `There is no limit ${name}.${didYouMean(name, limitNames)}\n${all}`);
}

function readNumber(name: string, text: string): number {
  if (/^\d{1,15}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new CommandFailure(2, `${name} must be a number, not ${JSON.stringify(text)}.`);
}

function readCeilings(given: Readonly<Record<keyof Ceilings, string | undefined>>): Ceilings {
  const entries = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries.map(([unit, text]) => [unit, readNumber(`--${unit}`, text)]));
}

const limitsFailure = { exitCode: 1, kind: LimitsError, words: (why: string) => why } as const;

function toJson({ file, limits: list, allowed, problems }: Awaited<ReturnType<typeof reportLimits>>): object {
  const shown = list.map(({ endsMs, ...limit }) => ({
    ...limit,
    ends: endsMs === null ? null : new Date(endsMs).toISOString(),
  }));
  return { file, limits: shown, allowed, problems };
}
