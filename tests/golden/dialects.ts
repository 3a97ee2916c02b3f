import { existsSync, readdirSync } from "node:fs";
import type { GoldenDialect, SkippedDialect } from "../../testing/golden/dialect.js";

const fronts = new URL("../../packages/gateway/fronts/", import.meta.url);

/** The content of `golden.cases.ts` in the folder of each dialect. */
export const described: readonly (GoldenDialect | SkippedDialect)[] = await Promise.all(
  readdirSync(fronts)
    .map((name) => new URL(`${name}/golden.cases.ts`, fronts))
    .filter((file) => existsSync(file))
    .map(async (file) => (await import(file.href)).golden),
);

export const goldenDialects = described.flatMap((each) => ("skip" in each ? [] : [each]));
