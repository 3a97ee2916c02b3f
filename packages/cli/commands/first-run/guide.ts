import { intro, outro } from "@clack/prompts";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { createPrices } from "@curlew/meter/prices/prices.js";
import type { LoadedSettings } from "../../config/load.js";
import { assumedModel } from "../../setup/client.js";
import { clients } from "../../setup/clients.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { colorsFor } from "../../terminal/print.js";
import { findCommand } from "../../terminal/programs.js";
import { type Choice, choose, chooseSeveral, PromptCanceled, promptStyle } from "../../terminal/prompts.js";
import { startSpinner } from "../../terminal/spinner.js";
import { foreignNames, formerCredential, type SignInWay, signIn } from "../login/sign-in.js";
import { describeFormer, describeStored } from "../login/stored-credential.js";
import { accountModels, pickModel } from "../setup/account-models.js";
import { fileOf, isInstalled } from "../setup/client-location.js";
import { addressFrom } from "../setup/target.js";
import {
  type Decisions,
  type Desk,
  howToGoOn,
  interruptible,
  type Outcome,
  type RunCommand,
  type Step,
  sayFailure,
  sayOn,
} from "./desk.js";
import { startStep } from "./start-step.js";
import { writeStep } from "./write-step.js";

/** Exit code of a program ended by Ctrl-C. */
const INTERRUPTED = 130;

/** Leads a new user to the first answer. Each step does what its command does, and can be skipped and repeated. */
export async function guide(
  { settings, named }: LoadedSettings,
  machine: CommandMachine,
  run: RunCommand,
): Promise<number> {
  const desk: Desk = { settings, named, machine, say: sayOn(machine), run };
  const auto = assumedModel("auto");
  let decisions: Decisions = { account: "none", clients: [], model: auto, models: undefined, ready: [] };
  intro("Curlew: the models of your Cursor plan, for any AI client", promptStyle(machine));
  const seen = new Set<Step>();
  let step: Outcome["next"] = "sign-in";
  try {
    while (step !== "done") {
      const isRepeated = seen.has(step);
      seen.add(step);
      ({ decisions, next: step } = await takers[step](decisions, desk, isRepeated));
    }
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof PromptCanceled)) throw thrown;
    outro(await howToGoOn(decisions, settings), promptStyle(machine));
    return INTERRUPTED;
  }
}

type Taker = (decisions: Decisions, desk: Desk, isRepeated: boolean) => Promise<Outcome>;

const takers: Readonly<Record<Step, Taker>> = {
  "sign-in": signInStep,
  clients: clientsStep,
  model: modelStep,
  write: writeStep,
  start: startStep,
};

/** Installed clients come first. Clients without a default settings path are left out. */
export function offersFor(machine: Machine) {
  const offers = clients
    .filter((client) => fileOf(client, machine) !== undefined)
    .map((client) => ({ client, isInstalled: isInstalled(client, machine) }));
  return [...offers.filter((each) => each.isInstalled), ...offers.filter((each) => !each.isInstalled)];
}

/** Installed clients are preselected; a repeated step starts with the previous choice. */
async function clientsStep(decisions: Decisions, { machine }: Desk, isRepeated: boolean): Promise<Outcome> {
  const offers = offersFor(machine);
  const choices: Choice<string>[] = offers.map(({ client: { name, title }, ...offer }) => ({
    value: name,
    label: offer.isInstalled ? `${title} (installed)` : title,
  }));
  const initial = isRepeated
    ? decisions.clients.map(({ name }) => name)
    : offers.filter((each) => each.isInstalled).map(({ client }) => client.name);
  const names = await chooseSeveral(
    machine,
    "Which clients should use Curlew? (Space selects, none skips)",
    choices,
    initial,
  );
  const chosen = offers.map(({ client }) => client).filter(({ name }) => names.includes(name));
  return { decisions: { ...decisions, clients: chosen, ready: [] }, next: chosen.length === 0 ? "start" : "model" };
}

/** Asks for one of the account's models. Without a sign-in there is no list, and Cursor chooses. */
async function modelStep(decisions: Decisions, { settings, machine, say }: Desk): Promise<Outcome> {
  const decide = (known: Pick<Decisions, "model" | "models">): Outcome => {
    return { decisions: { ...decisions, ...known }, next: "write" };
  };
  const auto = { model: assumedModel("auto"), models: undefined };
  if (decisions.account !== "signed in") return decide(auto);
  for (;;) {
    const goOn = await howToGoOn(decisions, settings);
    const ask = () => accountModels(addressFrom({}, settings), machine, { settings, mayAskCursor: true });
    const { models } = await interruptible(machine, ask, goOn).finally(
      startSpinner(machine, "Asking Cursor for your models"),
    );
    if (models !== undefined) {
      const message = "Which model should they use?";
      const model = await pickModel(machine, models, createPrices(settings.prices), { message });
      return decide({ model, models });
    }
    say.warn(["The list of models could not be read. To find out why: curlew doctor"]);
    const next = await choose(machine, "Without the list, clients use auto: Cursor chooses the model", [
      { value: "auto", label: "Continue with auto" },
      { value: "again", label: "Try again" },
    ]);
    if (next === "auto") return decide(auto);
  }
}

export type SignInChoice = "keep" | SignInWay["by"] | "simulate" | "skip";

/** Offers an import only if one of Cursor's programs has left a login. */
export function signInChoices(found: readonly string[], isSignedIn: boolean): Choice<SignInChoice>[] {
  return [
    ...(isSignedIn ? [{ value: "keep" as const, label: "Stay signed in" }] : []),
    { value: "browser", label: "In the browser", hint: "makes an API key that lasts 90 days" },
    ...(found.length === 0
      ? []
      : [
          { value: "import" as const, label: `Copy the login of ${found.join(" or ")}`, hint: "found on this machine" },
        ]),
    { value: "api-key", label: "Paste an API key", hint: "from Cursor's dashboard" },
    { value: "simulate", label: "Try it without an account", hint: "simulated answers, not from a model" },
    { value: "skip", label: "Skip" },
  ];
}

async function signInStep(decisions: Decisions, { settings, machine, say }: Desk): Promise<Outcome> {
  // A trial writes nothing: the clients would use a simulator that ends with this program.
  const decide = (account: Decisions["account"]): Outcome => ({
    decisions: { ...decisions, account },
    next: account === "simulated" ? "start" : "clients",
  });
  const found = foreignNames(machine, findCommand("cursor-agent", machine) !== undefined);
  const isSignedIn = decisions.account === "signed in";
  const former = isSignedIn ? await formerCredential(settings) : undefined;
  if (former !== undefined) say.warn(describeFormer(former, settings));
  let tried: SignInChoice | undefined;
  for (;;) {
    tried = await choose(machine, "Sign in to Cursor", signInChoices(found, isSignedIn), tried);
    switch (tried) {
      case "keep":
        return decide("signed in");
      case "simulate":
        return decide("simulated");
      case "skip":
        return decide("none");
      default:
        try {
          // Choosing it is consent.
          const ways = {
            browser: { by: "browser", opensBrowser: !machine.env.NO_OPEN_BROWSER },
            "api-key": { by: "api-key" },
            import: { by: "import", hasConsent: true },
          } as const;
          const stored = await signIn(machine, settings, ways[tried]);
          say.done(describeStored(stored, settings, colorsFor({}, machine.env)));
          return decide("signed in");
        } catch (thrown) {
          if (thrown instanceof PromptCanceled) throw thrown;
          sayFailure(thrown, say);
        }
    }
  }
}
