import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import type { Decisions } from "./compare.js";

/** By reason, then by owner: names separated by spaces, or `all` for the owner itself. */
const ByReason = z.record(z.string(), z.record(z.string(), z.string()));
const File = z.strictObject({ leftOut: ByReason, onlyOurs: ByReason, shapes: ByReason });

/** The decisions of `decisions.yaml`. */
export function readDecisions(): Decisions {
  const { leftOut, onlyOurs, shapes } = File.parse(
    parse(readFileSync(new URL("decisions.yaml", import.meta.url), "utf8")),
  );
  return { leftOut: byName(leftOut), onlyOurs: byName(onlyOurs), shapes: byName(shapes) };
}

function byName(reasons: z.infer<typeof ByReason>): Map<string, string> {
  const entries = Object.entries(reasons).flatMap(([reason, owners]) =>
    Object.entries(owners).flatMap(([owner, names]) =>
      names.split(" ").map((name): [string, string] => [name === "all" ? owner : `${owner}.${name}`, reason]),
    ),
  );
  return new Map(entries);
}
