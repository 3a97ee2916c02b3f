import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface Locked {
  readonly dev?: boolean;
  readonly integrity?: string;
  /** A package of this repository. */
  readonly link?: boolean;
}

/** For this, a native module of lmdb is pinned to 3.0.4: newer ones do not exist for every platform. */
it("pins every runtime dependency by integrity hash, on every platform", () => {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Locked> };
  const run = Object.entries(lock.packages).filter(
    ([path, { dev, link }]) => path.startsWith("node_modules/") && dev !== true && link !== true,
  );
  expect(run.length).toBeGreaterThan(10);
  expect(run.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([]);
});
