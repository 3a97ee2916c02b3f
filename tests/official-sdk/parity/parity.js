// Compares our gateway with the official SDK turn by turn, and checks the differences against the page.
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

/** Called with all turns: throws rows of the page that no turn confirms. */
export function checkPage(comparisons) {
  const found = comparisons.flatMap(({ theirs, ours }) => differences(theirs, ours));
  const seen = new Set(comparisons.flatMap(({ theirs, ours }) => [...theirs.keys(), ...ours.keys()]));
  const complaints = outdated(found, seen, readPage());
  if (complaints.length > 0) throw new Error(`docs/protocol/parity.md is out of date:\n${complaints.join("\n")}`);
}

function newestRun(requests) {
  const run = requests.findLast(({ path }) => path === RUN_PATH);
  if (run === undefined) throw new Error("no run was recorded");
  return run;
}
