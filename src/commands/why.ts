import { loadFrom, settingArgs } from "../config/flags.js";
import type { LedgerReader } from "../ledger/index.js";
import { wrap } from "../ops/lines/index.js";
import { type ChosenTurn, chooseTurn, explain, findNeighbours, type Paragraph } from "../why/index.js";
import { findRequest } from "./journal/find-request.js";
import { withJournal } from "./journal/open-journal.js";
import { requestLines } from "./journal/request-line.js";
import { colorsFor } from "./line/colors.js";
import { CommandFailure } from "./line/command-failure.js";
import { defineCommand } from "./line/definition.js";
import { harmless, harmlessJson } from "./terminal/harmless.js";

/** So many of the last requests are looked through for the turn that is most worth explaining. */
const RECENT_REQUESTS = 200;
const WIDTH = 100;

export const why = defineCommand({
  examples: [
    ["curlew why", "the costliest of the last turns"],
    ["curlew why 3f2a9c01", "this one"],
  ],
  args: {
    id: {
      type: "positional",
      required: false,
      description: `The request, by its id or the beginning of it; without it, the coldest or most expensive turn of the last ${RECENT_REQUESTS} requests`,
    },
    json: { type: "boolean", description: "Print JSON" },
    ...settingArgs([]),
  },
  async run({ args }) {
    const { id } = args;
    const { settings } = loadFrom(args, []);
    await withJournal(settings, async (reader) => {
      const chosen =
        id === undefined
          ? chooseTurn(reader.entries({ limit: RECENT_REQUESTS }))
          : { entry: findRequest(reader, id), because: null };
      if (chosen === undefined)
        throw new CommandFailure(1, "There are no requests yet, so there is nothing to explain.");
      const paragraphs = await paragraphsFor(reader, chosen);
      process.stdout.write(args.json ? toJson(chosen, paragraphs) : describe(chosen, paragraphs));
    });
  },
});

type Chosen = Pick<ChosenTurn, "entry"> & { readonly because: string | null };

async function paragraphsFor(reader: LedgerReader, { entry }: Chosen): Promise<readonly Paragraph[]> {
  return explain(entry, reader.detail(entry.id), await findNeighbours(reader, entry));
}

function toJson({ entry, because }: Chosen, paragraphs: readonly Paragraph[]): string {
  return `${harmlessJson({ id: entry.id, turnId: entry.turnId, because, paragraphs }, 2)}\n`;
}

function describe({ entry, because }: Chosen, paragraphs: readonly Paragraph[]): string {
  const colors = colorsFor(process.stdout);
  const texts = paragraphs.map(({ what, advice }) =>
    [
      ...wrap(harmless(what), WIDTH),
      ...(advice === null ? [] : wrap(`→ ${harmless(advice)}`, WIDTH).map(colors.cyan)),
    ].join("\n"),
  );
  const head = requestLines(process.stdout)(entry);
  return `${[...(because === null ? [] : [because]), head.trimEnd(), ...texts].join("\n\n")}\n`;
}
