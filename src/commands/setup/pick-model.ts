import type { Machine } from "../../config/machine.js";
import type { Prices } from "../../prices/index.js";
import type { SetupModel } from "../../setup/client.js";
import { harmless } from "../terminal/harmless.js";

const SHOWN_AT_ONCE = 12;

/** Whether a person can be asked: not in a pipe, nor on a machine that builds and tests. */
export function canAsk({ env }: Pick<Machine, "env">): boolean {
  const { stdin, stdout, stderr } = process;
  return [stdin, stdout, stderr].every(({ isTTY }) => isTTY === true) && !env.CI;
}

/** Asks which model a client should use; typing narrows the list. Undefined if the user cancels. */
export async function pickModel(
  models: readonly SetupModel[],
  { message = "Which model?", prices }: { message?: string; prices: Prices },
): Promise<SetupModel | undefined> {
  const { autocomplete, isCancel } = await import("@clack/prompts");
  const answer = await autocomplete({
    message,
    options: models.map((model) => ({ value: model.id, label: harmless(model.id), hint: hintOf(model, prices) })),
    maxItems: SHOWN_AT_ONCE,
    output: process.stderr,
  });
  return isCancel(answer) ? undefined : models.find(({ id }) => id === answer);
}

/** `Claude Opus 4.8, 200k, $5.00 in, $25.00 out per million tokens` */
function hintOf({ id, name, contextTokens }: SetupModel, prices: Prices): string {
  const price = prices.priceOf(id);
  const costs = price === undefined ? [] : [`$${price.input} in, $${price.output} out per million tokens`];
  const about =
    id === "auto" ? ["Cursor chooses"] : [harmless(name), `${Math.round(contextTokens / 1_000)}k`, ...costs];
  return about.join(", ");
}
