import { defineCommand } from "citty";
import { keysFile, limitsFile } from "../app/prepare/own-files.js";
import { didYouMean } from "../closest.js";
import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import { shownOn } from "../shown-on.js";
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
} from "../spend/index.js";
import { describeLimits } from "./limits/describe.js";
import { reportLimits } from "./limits/report.js";
import { colorsFor } from "./line/colors.js";
import { CommandFailure } from "./line/command-failure.js";

/** What the gateway writes into its refusals. */
const CONVERSATION = /^[\w-]{1,100}$/;
const USE = "Use it as: curlew limits | set LIMIT VALUE | unset LIMIT | allow CONVERSATION";
const NOTICED = "A running gateway notices it with its next request.";

interface Words {
  readonly limits: Limits;
  readonly name: string;
  readonly value: string | undefined;
  readonly models: readonly string[] | undefined;
  readonly ceilings: Ceilings;
}

/** What an action makes of the limits, and what it says then. */
type Edit = (words: Words) => { readonly limits: Limits; readonly said: string };

const edits: Readonly<Record<string, Edit>> = { set, unset, allow };

export const limits = defineCommand({
  args: {
    action: {
      type: "positional",
      required: false,
      description:
        "set: sets a limit; unset: takes it back; allow: lets one conversation go on; alone, shows all limits",
      valueHint: Object.keys(edits).join("|"),
    },
    name: { type: "positional", required: false, description: "The limit, such as day.tokens; or the conversation" },
    value: { type: "positional", required: false, description: "set: the new limit" },
    models: {
      type: "string",
      description: "set plan.percent: only for these models, such as claude-*",
      valueHint: "list",
    },
    tokens: { type: "string", description: "allow: up to so many tokens", valueHint: "n" },
    requests: { type: "string", description: "allow: up to so many requests", valueHint: "n" },
    dollars: { type: "string", description: "allow: up to so many dollars", valueHint: "n" },
    json: { type: "boolean", description: "Print JSON" },
    ...settingArgs(upstreamSettings),
  },
  async run({ args }) {
    const { settings } = loadFrom(args, upstreamSettings);
    const path = limitsFile(settings);
    const [action, name, value, ...rest] = args._;
    const before = orFail(() => readLimits(path));
    if (action === undefined) {
      const found = await reportLimits(settings, { path, limits: before, keysPath: keysFile(settings) });
      const report = shownOn(process.stdout, found);
      const text = args.json
        ? `${JSON.stringify(toJson(found), null, 2)}\n`
        : describeLimits(report, colorsFor(process.stdout));
      process.stdout.write(text);
      return;
    }
    const edit = Object.hasOwn(edits, action) ? edits[action] : undefined;
    if (edit === undefined || name === undefined || rest.length > 0 || (value !== undefined) !== (action === "set")) {
      throw new CommandFailure(2, USE);
    }
    const { models, tokens, requests, dollars } = args;
    const ceilings = readCeilings({ tokens, requests, dollars });
    refuseStray(action, name, { models, ceilings });
    const words = { limits: before, name, value, models: models?.split(",").map((each) => each.trim()), ceilings };
    const { limits: after, said } = orFail(() => edit(words), 2);
    orFail(() => writeLimits(path, after));
    process.stdout.write(args.json ? `${JSON.stringify(after, null, 2)}\n` : `${said} ${NOTICED}\n`);
  },
});

function set({ limits: before, name, value = "", models }: Words): ReturnType<Edit> {
  const known = knownName(name);
  const limits = withLimit(before, known, readNumber(known, value), models);
  const which = models === undefined ? "" : ` for ${models.join(", ")}`;
  const beyond = known.startsWith("client.") ? "has to wait" : "is refused";
  return { limits, said: `${known} is now ${value}${which}; what goes beyond it ${beyond}.` };
}

function unset({ limits: before, name }: Words): ReturnType<Edit> {
  if (!isLimitName(name) && Object.hasOwn(before.allowed ?? {}, name)) {
    return {
      limits: withoutAllowed(before, name),
      said: `The conversation ${name} has the same limits as others again.`,
    };
  }
  const known = knownName(name);
  return { limits: withoutLimit(before, known), said: `${known} is no longer set.` };
}

function allow({ limits: before, name, ceilings }: Words): ReturnType<Edit> {
  if (!CONVERSATION.test(name)) {
    throw new CommandFailure(
      2,
      "A conversation is named as the refused request named it: curlew limits allow CONVERSATION",
    );
  }
  return { limits: withAllowed(before, name, ceilings), said: `The conversation ${name} may go on.` };
}

function knownName(name: string) {
  if (isLimitName(name)) return name;
  throw new CommandFailure(
    2,
    `There is no limit ${name}.${didYouMean(name, limitNames)}\nThe limits are ${limitNames.join(", ")}.`,
  );
}

function readNumber(name: string, text: string): number {
  if (/^\d{1,15}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new CommandFailure(2, `${name} must be a number, not ${JSON.stringify(text)}.`);
}

function readCeilings(given: Readonly<Record<keyof Ceilings, string | undefined>>): Ceilings {
  const entries = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries.map(([unit, text]) => [unit, readNumber(`--${unit}`, text)]));
}

/** @throws {CommandFailure} An option has nothing to do with what is asked for. */
function refuseStray(
  action: string,
  name: string,
  { models, ceilings }: { models: string | undefined; ceilings: Ceilings },
) {
  if (models !== undefined && (action !== "set" || name !== "plan.percent")) {
    throw new CommandFailure(2, "--models belongs to: curlew limits set plan.percent PERCENT --models LIST");
  }
  if (Object.keys(ceilings).length > 0 && action !== "allow") {
    throw new CommandFailure(2, "--tokens, --requests and --dollars belong to: curlew limits allow CONVERSATION");
  }
}

function orFail<Result>(work: () => Result, exitCode: 1 | 2 = 1): Result {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof LimitsError) throw new CommandFailure(exitCode, thrown.message, { cause: thrown });
    throw thrown;
  }
}

function toJson({ file, limits: list, allowed, problems }: Awaited<ReturnType<typeof reportLimits>>): object {
  const shown = list.map(({ endsMs, ...limit }) => ({
    ...limit,
    ends: endsMs === null ? null : new Date(endsMs).toISOString(),
  }));
  return { file, limits: shown, allowed, problems };
}
