import { log, outro } from "@clack/prompts";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import { StartError } from "../../app/prepare/start-error.js";
import type { LoadedSettings } from "../../config/load.js";
import type { Settings } from "../../config/settings.js";
import type { Client, SetupModel } from "../../setup/client.js";
import type { CommandMachine, Output } from "../../terminal/command-machine.js";
import { CommandFailure } from "../../terminal/print.js";
import { choose, promptStyle } from "../../terminal/prompts.js";
import { CLEAR_LINE } from "../../terminal/spinner.js";
import { wrap } from "../../terminal/table.js";
import { findNextStep } from "../setup/client-location.js";

export type RunCommand = (name: string, rawArgs: readonly string[]) => Promise<number>;

export interface Desk {
  readonly settings: Settings;
  readonly named: LoadedSettings["named"];
  readonly machine: CommandMachine;
  readonly say: Say;
  readonly run: RunCommand;
}

export interface Decisions {
  /** `none`: the step was skipped. */
  readonly account: "none" | "signed in" | "simulated";
  readonly clients: readonly Client[];
  readonly model: SetupModel;
  /** All models of the account; undefined if unknown. */
  readonly models: readonly SetupModel[] | undefined;
  /** The chosen clients whose settings are written. */
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

export function goBackFrom(step: Step, { machine }: Desk): Promise<Step> {
  const before = steps.slice(0, steps.indexOf(step)).toReversed();
  const choices = before.map((value) => ({ value, label: titles[value] }));
  return choose(machine, "Go back to", choices);
}

const GUTTER = 3;
const USUAL_COLUMNS = 80;

export type Say = ReturnType<typeof sayOn>;

export function sayOn({ stderr, env }: CommandMachine) {
  const style = promptStyle({ stderr, env });
  return {
    done: (lines: readonly string[]) => log.success(fitted(lines, stderr), style),
    warn: (lines: readonly string[]) => log.warn(fitted(lines, stderr), style),
    failed: (lines: readonly string[]) => log.error(fitted(lines, stderr), style),
    /** Not wrapped; may contain colours. */
    asIs: (text: string) => log.message(text, style),
  };
}

/** Shows an expected failure, so that its step can be retried. Rethrows all others. */
export function sayFailure(thrown: unknown, say: Say): void {
  const isForeseen = thrown instanceof CommandFailure || thrown instanceof GatewayError || thrown instanceof StartError;
  if (!isForeseen) throw thrown;
  say.failed([thrown.message]);
}

/** Wraps the lines, because a line wrapped by the terminal loses its gutter. */
function fitted(lines: readonly string[], stderr: Output): string {
  const width = (stderr.columns || USUAL_COLUMNS) - GUTTER;
  return lines
    .flatMap((text) => shownOn(stderr, text).split("\n"))
    .flatMap((line) => wrap(line, width))
    .join("\n");
}

/** How to continue after leaving the guide, which reappears only while there is no credential. */
export async function howToGoOn({ account }: Pick<Decisions, "account">, settings: Settings): Promise<string> {
  if (account !== "signed in") return "Stopped. To continue: curlew";
  return `Stopped; you are signed in. ${await findNextStep(settings, { isSignedIn: true, isRunning: false })}`;
}

/** Awaits work that cannot be canceled. Ctrl-C prints `goOn` before it ends the program. */
export async function interruptible<Result>(
  { stderr, env, events }: CommandMachine,
  work: () => Promise<Result>,
  goOn: string,
): Promise<Result> {
  const onInterrupt = () => {
    stderr.write(CLEAR_LINE);
    outro(goOn, promptStyle({ stderr, env }));
    process.kill(process.pid, "SIGINT"); // the handler is gone, so this ends the process
  };
  events.once("SIGINT", onInterrupt);
  try {
    return await work();
  } finally {
    events.off("SIGINT", onInterrupt);
  }
}
