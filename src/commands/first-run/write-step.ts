import { colorsFor } from "../line/colors.js";
import { type ClientPlan, planClient, planText, writePlan } from "../setup/plan-client.js";
import { addressFrom, targetFor } from "../setup/target.js";
import { choose } from "../terminal/prompts.js";
import type { Decisions, Desk, Outcome } from "./desk.js";
import { goBackFrom } from "./go-back.js";
import { say, sayFailure } from "./say.js";

/** A longer diff would push the earlier ones off the screen. */
const MAX_DIFF_LINES = 18;
/** Of one that is longer still, so many are shown. */
const SHOWN_DIFF_LINES = 12;

/** Shows what would be written for each client, asks once for all, and writes it. */
export async function writeStep(decisions: Decisions, desk: Desk): Promise<Outcome> {
  const plans = decisions.clients.flatMap((client) => planFor(client, decisions, desk));
  const needed = plans.filter(({ isNeeded }) => isNeeded);
  const already = plans.filter(({ isNeeded }) => !isNeeded).map(({ client }) => client);
  const goOn = (ready: Decisions["ready"]): Outcome => ({ decisions: { ...decisions, ready }, next: "start" });
  for (const { title } of already) say.done([`${title} is set up already.`]);
  if (needed.length === 0) return goOn(already);
  for (const plan of needed) say.asIs(shortened(planText(plan, colorsFor(process.stderr)), plan.client.name));
  const files = needed.length === 1 ? "this file" : `these ${needed.length} files`;
  const answer = await choose(`Write ${files}?`, [
    { value: "write", label: "Write", hint: "each can be undone" },
    { value: "skip", label: "Skip", hint: "the files stay as they are" },
    { value: "back", label: "Go back" },
  ]);
  switch (answer) {
    case "back":
      return { decisions, next: await goBackFrom("write") };
    case "skip":
      return goOn(already);
    case "write":
      return goOn([...already, ...needed.filter(write).map(({ client }) => client)]);
  }
}

/** A client whose file cannot be edited does not stop the others. */
function planFor(client: Decisions["clients"][number], { model, models }: Decisions, { settings, machine }: Desk) {
  try {
    const target = targetFor(addressFrom({}, settings), { models }, model, settings);
    return [planClient(client, target, { machine })];
  } catch (thrown) {
    sayFailure(thrown);
    return [];
  }
}

/** Returns whether it was written. */
function write(plan: ClientPlan): boolean {
  const { client, target } = plan;
  try {
    say.done([`${client.title} is set up.`, ...writePlan(plan), ...client.notes(target)]);
    return true;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    say.failed([`${client.title} was left as it is: ${why}`]);
    return false;
  }
}

export function shortened(diff: string, name: string): string {
  const lines = diff.trimEnd().split("\n");
  if (lines.length <= MAX_DIFF_LINES) return lines.join("\n");
  const rest = lines.length - SHOWN_DIFF_LINES;
  return [...lines.slice(0, SHOWN_DIFF_LINES), `and ${rest} more lines: curlew setup ${name} --dry-run`].join("\n");
}
