import { continuityText } from "../../packages/meter/ledger/index.js";
import { explain } from "../../packages/meter/why/causes.js";
import { sampleEntry } from "../../testing/ledger/sample-entries.js";
import type { Commented } from "./commented.js";

/** The possible cache misses of a continuity. */
function causesOf(continuity: string): readonly (string | null)[] {
  return continuity.endsWith(":settings-changed") ? ["system", "tools"] : [null];
}

/** The advice of `curlew logs ID` for each continuity that a client can improve. */
export function adviceTable(continuities: readonly Commented[]): string {
  const rows = continuities.flatMap(({ name }) =>
    causesOf(name).flatMap((cacheMiss) => {
      const entry = sampleEntry({ continuity: name, cacheMiss, sentAgainTokens: 10_000 });
      const paragraph = explain(entry, undefined, { turn: [entry], before: undefined }).find(
        ({ topic }) => topic === name,
      );
      return paragraph?.advice == null ? [] : [{ shown: continuityText(entry), advice: paragraph.advice }];
    }),
  );
  const isRepeated = ({ shown, advice }: (typeof rows)[number]) =>
    shown.startsWith("cold") && rows.some((row) => row.shown.startsWith("warm") && row.advice === advice);
  return [
    "| In `curlew logs` | What to change |",
    "|---|---|",
    ...rows.filter((row) => !isRepeated(row)).map(({ shown, advice }) => `| ${shown} | ${advice} |`),
  ].join("\n");
}
