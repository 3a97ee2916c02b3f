// Compares our gateway with the official SDK, turn by turn, and the differences with the page.
import assert from "node:assert/strict";
import { differences, outdated, undocumented, wording } from "./compare.js";
import { flatten } from "./flatten.js";
import { readPage } from "./page.js";

const RUN_PATH = "/agent.v1.AgentService/Run";

/** Compares one turn of the SDK with ours; throws the differences that the page does not explain. */
export function compareTurn(theirRequests, ourRequests) {
  const comparison = { theirs: flatten(newestRun(theirRequests)), ours: flatten(newestRun(ourRequests)) };
  const unexplained = undocumented(differences(comparison.theirs, comparison.ours), readPage());
  if (unexplained.length > 0)
    throw new Error(`docs/protocol/parity.md does not explain:\n${unexplained.map(wording).join("\n")}`);
  return comparison;
}

/** Called for all turns together: throws what the page says and no turn shows. */
export function checkPage(comparisons) {
  const complaints = pageComplaints(comparisons, readPage());
  if (complaints.length > 0) throw new Error(`docs/protocol/parity.md is out of date:\n${complaints.join("\n")}`);
}

/** A comparison that cannot fail is worthless: each row is removed once, each of our values changed and left out. */
export function checkCanFail(comparisons) {
  const page = readPage();
  for (const row of page.rows) {
    const shorter = { ...page, rows: page.rows.filter((each) => each !== row) };
    const isMissed = comparisons.some(
      ({ theirs, ours }) => undocumented(differences(theirs, ours), shorter).length > 0,
    );
    assert.ok(isMissed, `${row.text}: without this row nothing is unexplained`);
  }
  for (const { theirs, ours } of comparisons) {
    for (const path of ours.keys()) {
      const changed = new Map(ours).set(path, "something else");
      const isNoticed = undocumented(differences(theirs, changed), page).length > 0;
      const isLeftOut = page.leftOut.some((each) => each.path.test(path));
      assert.equal(isNoticed, !isLeftOut, `another value at ${path} goes unnoticed`);
      if (isLeftOut || !theirs.has(path)) continue;
      changed.delete(path);
      assert.ok(undocumented(differences(theirs, changed), page).length > 0, `without ${path} nothing is noticed`);
    }
  }
  const [bogus] = page.rows.map((row) => ({ ...row, path: { test: (path) => path === "header.never-sent" } }));
  assert.equal(pageComplaints(comparisons, { ...page, rows: [...page.rows, bogus] }).length, 1, "a row too many");
}

function pageComplaints(comparisons, page) {
  const found = comparisons.flatMap(({ theirs, ours }) => differences(theirs, ours));
  const seen = new Set(comparisons.flatMap(({ theirs, ours }) => [...theirs.keys(), ...ours.keys()]));
  return outdated(found, seen, page);
}

function newestRun(requests) {
  const run = requests.findLast(({ path }) => path === RUN_PATH);
  if (run === undefined) throw new Error("no run was recorded");
  return run;
}
