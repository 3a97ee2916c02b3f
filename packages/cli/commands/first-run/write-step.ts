import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import type { Client } from "../../setup/client.js";
import { colorsFor } from "../../terminal/print.js";
import { choose } from "../../terminal/prompts.js";
import { findClientKey } from "../setup/client-key.js";
import { type ClientPlan, planClient, planText, writePlan } from "../setup/plan-client.js";
import { addressFrom, targetFor } from "../setup/target.js";
import { type Decisions, type Desk, goBackFrom, type Outcome, sayFailure } from "./desk.js";

/** A longer diff would push the earlier ones off the screen. */
const MAX_DIFF_LINES = 18;
/** Lines shown of a longer diff. */
const SHOWN_DIFF_LINES = 12;

export async function writeStep(decisions: Decisions, desk: Desk): Promise<Outcome> {
  const { machine, say } = desk;
  const plans = (await Promise.all(decisions.clients.map((client) => planFor(client, decisions, desk)))).flat();
  const needed = plans.filter(({ isNeeded }) => isNeeded);
  const already = plans.filter(({ isNeeded }) => !isNeeded).map(({ client }) => client);
  const goOn = (ready: Decisions["ready"]): Outcome => ({ decisions: { ...decisions, ready }, next: "start" });
  for (const { title } of already) say.done([`${title} is already set up.`]);
  if (needed.length === 0) return goOn(already);
  for (const plan of needed)
    say.asIs(shortened(planText(plan, colorsFor(machine.stderr, machine.env)), plan.client.name));
  const files = needed.length === 1 ? "this file" : `these ${needed.length} files`;
  const answer = await choose(machine, `Write ${files}?`, [
    { value: "write", label: "Write", hint: "each can be undone" },
    { value: "skip", label: "Skip", hint: "leave the files unchanged" },
    { value: "back", label: "Go back" },
  ]);
  switch (answer) {
    case "back":
      return { decisions, next: await goBackFrom("write", desk) };
    case "skip":
      return goOn(already);
    case "write":
      for (const plan of needed) if (await write(plan, desk)) already.push(plan.client);
      return goOn(already);
  }
}

/** A client whose file cannot be edited does not stop the others. */
async function planFor(client: Client, { model, models }: Decisions, { settings, machine, say }: Desk) {
  try {
    const address = await findClientKey(machine, client, addressFrom({}, settings), settings);
    const target = targetFor(address, models, model, settings);
    return [planClient(machine, client, target)];
  } catch (thrown) {
    sayFailure(thrown, say);
    return [];
  }
}

async function write(plan: ClientPlan, { settings, say }: Desk): Promise<boolean> {
  const { title, savings = [], notes } = plan.client;
  try {
    say.done([`${title} is set up.`, ...(await writePlan(plan, settings)), ...savings, ...notes(plan.target)]);
    return true;
  } catch (thrown) {
    say.failed([`${title} was not changed: ${reasonOf(thrown)}`]);
    return false;
  }
}

export function shortened(diff: string, name: string): string {
  const lines = diff.trimEnd().split("\n");
  if (lines.length <= MAX_DIFF_LINES) return lines.join("\n");
  const rest = lines.length - SHOWN_DIFF_LINES;
  return [...lines.slice(0, SHOWN_DIFF_LINES), `and ${rest} more lines: curlew setup ${name} --dry-run`].join("\n");
}
