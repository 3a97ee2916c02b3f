import type { LoadedSettings } from "../../config/load.js";
import type { Machine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";
import type { Client, SetupModel } from "../../setup/client.js";
import { choose } from "../../terminal/prompts.js";

export type RunCommand = (name: string, rawArgs: readonly string[]) => Promise<number>;

export interface Desk {
  readonly settings: Settings;
  readonly named: LoadedSettings["named"];
  readonly machine: Machine;
  readonly run: RunCommand;
}

export interface Decisions {
  /** `none`: the step was skipped. */
  readonly account: "none" | "signed in" | "simulated";
  readonly clients: readonly Client[];
  readonly model: SetupModel;
  /** All models of the account; undefined if they are not known. */
  readonly models: readonly SetupModel[] | undefined;
  /** Those of the chosen clients whose settings are written. */
  readonly ready: readonly Client[];
}

export const steps = ["sign-in", "clients", "model", "write", "start"] as const;
export type Step = (typeof steps)[number];

export interface Outcome {
  readonly decisions: Decisions;
  readonly next: Step | "done";
}

const titles: Readonly<Record<Step, string>> = {
  "sign-in": "Sign in to Cursor",
  clients: "Choose clients",
  model: "Choose a model",
  write: "Write the clients' settings",
  start: "Start the gateway",
};

export function goBackFrom(step: Step): Promise<Step> {
  const before = steps.slice(0, steps.indexOf(step)).toReversed();
  return choose(
    "Go back to",
    before.map((value) => ({ value, label: titles[value] })),
  );
}
