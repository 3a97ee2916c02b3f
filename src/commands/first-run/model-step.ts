import { createPrices } from "../../prices/index.js";
import { assumedModel } from "../../setup/client.js";
import { accountModels } from "../setup/account-models.js";
import { pickModel } from "../setup/pick-model.js";
import { addressFrom } from "../setup/target.js";
import { choose } from "../terminal/prompts.js";
import { startSpinner } from "../terminal/spinner.js";
import type { Decisions, Desk, Outcome } from "./desk.js";
import { howToGoOn, interruptible } from "./leaving.js";
import { say } from "./say.js";

/** Asks for one of the account's models. Where nobody has signed in there is no list, and Cursor chooses. */
export async function modelStep(decisions: Decisions, { settings }: Desk): Promise<Outcome> {
  const decide = (known: Pick<Decisions, "model" | "models">): Outcome => {
    return { decisions: { ...decisions, ...known }, next: "write" };
  };
  const auto = { model: assumedModel("auto"), models: undefined };
  if (decisions.account === "none") return decide(auto);
  const asked = decisions.account === "simulated" ? { ...settings, backend: "simulator" as const } : settings;
  for (;;) {
    const stop = startSpinner("Asking Cursor for your models", process.stderr);
    const ask = () => accountModels(addressFrom({}, settings), { settings: asked, mayAskCursor: true });
    const { models } = await interruptible(ask, await howToGoOn(decisions, settings)).finally(stop);
    if (models !== undefined) {
      const message = "Which model should they ask for?";
      const model = await pickModel(models, { message, prices: createPrices(settings.prices) });
      return decide({ model, models });
    }
    say.warn(["The list of models could not be read. To find out why: curlew doctor"]);
    const next = await choose("Without it, clients ask for auto: Cursor chooses the model", [
      { value: "auto", label: "Go on with auto" },
      { value: "again", label: "Try again" },
    ]);
    if (next === "auto") return decide(auto);
  }
}
