import { choose } from "../terminal/prompts.js";
import { type Step, steps } from "./desk.js";

const titles: Readonly<Record<Step, string>> = {
  "sign-in": "Sign in to Cursor",
  clients: "Choose clients",
  model: "Choose a model",
  write: "Write the clients' settings",
  start: "Start the gateway",
};

/** Asks to which of the steps before this one the user wants to go back. */
export function goBackFrom(step: Step): Promise<Step> {
  const before = steps.slice(0, steps.indexOf(step)).toReversed();
  return choose(
    "Go back to",
    before.map((value) => ({ value, label: titles[value] })),
  );
}
