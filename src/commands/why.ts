import { defineCommand } from "citty";
import { loadFrom, settingArgs } from "../config/flags.js";
import type { LedgerReader } from "../ledger/index.js";
import { type ChosenTurn, chooseTurn, explain, type Paragraph } from "../why/index.js";
import { findNeighbours, findRequest } from "./journal/find-request.js";
import { withJournal } from "./journal/open-journal.js";
import { RequestLines } from "./journal/request-line.js";
import { colorsFor } from "./line/colors.js";
import { CommandFailure } from "./line/command-failure.js";
import { wrap } from "./line/wrap.js";
import { harmless, harmlessJson } from "./terminal/harmless.js";

/** So many of the last requests are looked through for the turn that is most worth explaining. */
const RECENT_REQUESTS = 200;
const WIDTH = 100;

export const why = defineCommand({
  args: {
    id: {
      type: "positional",
      required: false,
      description: `The request, by its id or the beginning of it; without it, the coldest or dearest turn of the last ${RECENT_REQUESTS} requests`,
    },
    json: { type: "boolean", description: "Print JSON" },
    ...settingArgs([]),
  },
  async run({ args }) {
    const [id, ...rest] = args._;
    if (rest.length > 0) throw new CommandFailure(2, "Name one request at most: curlew why ID");
    const { settings } = loadFrom(args, []);
    await withJournal(settings, async (reader) => {
      const chosen =
        id === undefined
          ? chooseTurn(reader.entries({ limit: RECENT_REQUESTS }))
          : { entry: findRequest(reader, id), because: null };
      if (chosen === undefined)
        throw new CommandFailure(1, "The ledger has no request yet, so there is nothing to explain.");
      process.stdout.write(args.json ? toJson(reader, chosen) : describe(reader, chosen));
    });
  },
});

type Chosen = Pick<ChosenTurn, "entry"> & { readonly because: string | null };

function paragraphsFor(reader: LedgerReader, { entry }: Chosen): readonly Paragraph[] {
  return explain(entry, reader.detail(entry.id), findNeighbours(reader, entry));
}

function toJson(reader: LedgerReader, chosen: Chosen): string {
  const { entry, because } = chosen;
  return `${harmlessJson({ id: entry.id, turnId: entry.turnId, because, paragraphs: paragraphsFor(reader, chosen) }, 2)}\n`;
}

function describe(reader: LedgerReader, chosen: Chosen): string {
  const { entry, because } = chosen;
  const colors = colorsFor(process.stdout);
  const paragraphs = paragraphsFor(reader, chosen).map(({ what, advice }) =>
    [
      ...wrap(harmless(what), WIDTH),
      ...(advice === null ? [] : wrap(`→ ${harmless(advice)}`, WIDTH).map(colors.cyan)),
    ].join("\n"),
  );
  const head = new RequestLines(colors).begin([entry]);
  return `${[...(because === null ? [] : [because]), head.trimEnd(), ...paragraphs].join("\n\n")}\n`;
}
