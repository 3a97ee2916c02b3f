import type { Prices } from "../../prices/index.js";
import type { SetupModel } from "../../setup/client.js";
import { harmlessLine } from "../../shown-on.js";
import { PromptCanceled, promptStyle } from "../../terminal/prompts.js";

const SHOWN_AT_ONCE = 12;

/** Asks which model a client should use; typing narrows the list. @throws {PromptCanceled} The user cancels. */
export async function pickModel(
  models: readonly SetupModel[],
  { message = "Which model?", prices }: { message?: string; prices: Prices },
): Promise<SetupModel> {
  const { autocomplete, isCancel } = await import("@clack/prompts");
  const width = Math.max(...models.map(({ id }) => harmlessLine(id).length));
  const answer = await autocomplete({
    message,
    options: models.map((model) => ({ value: model.id, label: labelOf(model, width, prices), hint: hintOf(model) })),
    maxItems: SHOWN_AT_ONCE,
    ...promptStyle(),
  });
  const picked = isCancel(answer) ? undefined : models.find(({ id }) => id === answer);
  if (picked === undefined) throw new PromptCanceled("Nothing was written.");
  return picked;
}

/** `composer-2.5  200k  $0.5 in, $2.5 out per 1M`: the window, and dollars for a million tokens. */
function labelOf({ id, contextTokens }: SetupModel, width: number, prices: Prices): string {
  if (id === "auto") return id;
  const price = prices.priceOf(id);
  const size = `${Math.round(contextTokens / 1_000)}k`.padStart(5);
  const cost = price === undefined ? "" : `$${price.input} in, $${price.output} out per 1M`;
  return `${harmlessLine(id).padEnd(width)} ${size}  ${cost}`.trimEnd();
}

function hintOf({ id, name }: SetupModel): string {
  return id === "auto" ? "Cursor chooses" : harmlessLine(name);
}
