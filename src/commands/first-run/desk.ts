import type { LoadedSettings } from "../../config/load.js";
import type { Machine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";
import type { Client, SetupModel } from "../../setup/client.js";

/** Runs a command of Curlew as if it were typed. Resolves with its exit code. */
export type RunCommand = (name: string, rawArgs: readonly string[]) => Promise<number>;

/** What all steps work with. */
export interface Desk {
  readonly settings: Settings;
  readonly named: LoadedSettings["named"];
  readonly machine: Machine;
  readonly run: RunCommand;
}

/** What has been decided so far. */
export interface Decisions {
  /** `none`: the step was skipped. */
  readonly account: "none" | "signed in" | "simulated";
  /** Those that were chosen. */
  readonly clients: readonly Client[];
  /** The model that clients ask for. */
  readonly model: SetupModel;
  /** All models of the account; undefined if they are not known. */
  readonly models: readonly SetupModel[] | undefined;
  /** Those of the chosen clients whose settings are written. */
  readonly ready: readonly Client[];
}

export const steps = ["sign-in", "clients", "model", "write", "start"] as const;
export type Step = (typeof steps)[number];

/** What a step decides, and which step follows: most often the next one. */
export interface Outcome {
  readonly decisions: Decisions;
  readonly next: Step | "done";
}
