import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LedgerChildren, SaidRequests } from "../../../testing/ledger/ledger-children.js";
import { seeded } from "../../../testing/ledger/sample-month.js";
import { openLedgerReader } from "./index.js";

const KILLS = 100;
const children = new LedgerChildren();
beforeAll(() => children.build());
afterAll(() => children.close());

// Up to two processes at a time are started and killed, a hundred in total.
const timeout = 900_000;

it("has every request exactly once, whenever its process is killed", { timeout }, async () => {
  const home = join(children.base, "home");
  const next = seeded(1);
  const said = new SaidRequests();
  for (let kills = 1; kills <= KILLS; ) {
    // Sometimes two at once: each may recover what the others left.
    const count = next() < 0.3 ? 2 : 1;
    const plays = Array.from({ length: count }, (_, at) =>
      children.playUntilKilled(home, `p${kills + at}`, 1 + Math.floor(next() ** 3 * 3_000)),
    );
    for (const lines of await Promise.all(plays)) said.add(lines);
    kills += count;
    const reader = openLedgerReader(join(home, "ledger"));
    expect(said.faultsIn(reader, kills)).toEqual([]);
  }
});
