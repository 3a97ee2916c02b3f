import type { ComposedGateway } from "../../../app/compose.js";
import { CommandFailure } from "../../line/command-failure.js";
import { askConsent } from "../../terminal/prompts.js";
import type { ProbePlan } from "./plan-probes.js";
import { maxRuns } from "./run-probes.js";

/** Says what the probes cost, and asks for consent.
 *
 * @throws {CommandFailure} Consent is needed, and there is no terminal to ask on.
 */
export async function mayRunProbes(
  { backend }: Pick<ComposedGateway, "backend">,
  plan: ProbePlan,
  isGranted: boolean,
): Promise<boolean> {
  if (backend === "simulator") return true; // it costs nothing
  process.stderr.write(
    `The probes take at most ${plan.turns} turns of the models ${plan.models.join(", ")} through your Cursor account, each with a ` +
      "prompt of a few words and a short answer. They count against your plan like any other turn. With everything that is " +
      `tried again, no further turn begins after ${maxRuns(plan)} runs.\n`,
  );
  if (isGranted) return true;
  if (!process.stdin.isTTY) throw new CommandFailure(2, "No terminal to confirm on. Run: curlew doctor --live --yes");
  return askConsent("Run them?");
}
