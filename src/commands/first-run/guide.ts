import { intro, outro } from "@clack/prompts";
import type { LoadedSettings } from "../../config/load.js";
import { thisMachine } from "../../config/machine.js";
import { assumedModel } from "../../setup/client.js";
import { PromptCanceled, promptStyle } from "../terminal/prompts.js";
import { clientsStep } from "./clients-step.js";
import type { Decisions, Desk, Outcome, RunCommand, Step } from "./desk.js";
import { howToGoOn } from "./leaving.js";
import { modelStep } from "./model-step.js";
import { signInStep } from "./sign-in-step.js";
import { startStep } from "./start-step.js";
import { writeStep } from "./write-step.js";

/** What shells report for a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

const noDecisions: Decisions = {
  account: "none",
  clients: [],
  model: assumedModel("auto"),
  models: undefined,
  ready: [],
};

/**
 * Leads a new user from nothing to the first answer: sign in, choose clients and a model, write their settings, start. Each step does
 * what the command of its name does; it can be skipped, and repeated. Returns the exit code.
 */
export async function guide({ settings, named }: LoadedSettings, run: RunCommand): Promise<number> {
  const desk: Desk = { settings, named, machine: thisMachine(), run };
  let decisions: Decisions = noDecisions;
  intro("Curlew: the models of your Cursor plan, for any AI client", promptStyle());
  const seen = new Set<Step>();
  let step: Outcome["next"] = "sign-in";
  try {
    while (step !== "done") {
      const isRepeated = seen.has(step);
      seen.add(step);
      ({ decisions, next: step } = await take(step, decisions, desk, isRepeated));
    }
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof PromptCanceled)) throw thrown;
    outro(await howToGoOn(decisions, settings), promptStyle());
    return INTERRUPTED;
  }
}

function take(step: Step, decisions: Decisions, desk: Desk, isRepeated: boolean): Promise<Outcome> {
  switch (step) {
    case "sign-in":
      return signInStep(decisions, desk);
    case "clients":
      return clientsStep(decisions, desk, isRepeated);
    case "model":
      return modelStep(decisions, desk);
    case "write":
      return writeStep(decisions, desk);
    case "start":
      return startStep(decisions, desk);
  }
}
