import { text as readAll } from "node:stream/consumers";
import type { CommandMachine } from "./command-machine.js";
import { CommandFailure } from "./print.js";
import { isPlainTerminal } from "./spinner.js";

/** Questions go to stderr, because stdout belongs to what a command prints. A screen reader would read guide lines aloud. */
export function promptStyle({ stderr, env }: Pick<CommandMachine, "stderr" | "env">) {
  return { output: stderr, withGuide: !isPlainTerminal(env) };
}

/** The user pressed Ctrl-C or Escape instead of answering. */
export class PromptCanceled extends CommandFailure {
  constructor(text = "Canceled.") {
    super(1, text);
  }
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/** Reads a secret from the terminal or from a pipe. It is not a flag, because others can read command lines. */
export async function askSecret(machine: CommandMachine, question: string): Promise<string> {
  if (!machine.stdin.isTTY) return (await readAll(machine.stdin)).trim();
  const { password, isCancel } = await import("@clack/prompts");
  const answer = await password({ message: question, ...promptStyle(machine) });
  if (isCancel(answer)) throw new CommandFailure(1, "Canceled. Nothing was kept.");
  return answer.trim();
}

/** Asks yes or no; the default is no. Without a terminal the answer is no. */
export async function askConsent(machine: CommandMachine, question: string): Promise<boolean> {
  if (!machine.stdin.isTTY) return false;
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message: question, initialValue: false, ...promptStyle(machine) });
  return !isCancel(answer) && answer;
}

/** Asks for one of several; the first is the default. @throws {PromptCanceled} The user cancels. */
export async function choose<Value extends string>(
  machine: CommandMachine,
  question: string,
  choices: readonly Choice<Value>[],
  initial?: Value,
): Promise<Value> {
  const { select, isCancel } = await import("@clack/prompts");
  const answer = await select<string>({
    message: question,
    options: [...choices],
    ...promptStyle(machine),
    ...(initial !== undefined && { initialValue: initial }),
  });
  if (isCancel(answer)) throw new PromptCanceled();
  return chosen(choices, answer);
}

/** Asks for any number, including none. @throws {PromptCanceled} The user cancels. */
export async function chooseSeveral<Value extends string>(
  machine: CommandMachine,
  question: string,
  choices: readonly Choice<Value>[],
  initial: readonly Value[],
): Promise<Value[]> {
  const { multiselect, isCancel } = await import("@clack/prompts");
  const answer = await multiselect<string>({
    message: question,
    options: [...choices],
    initialValues: [...initial],
    required: false,
    ...promptStyle(machine),
  });
  if (isCancel(answer)) throw new PromptCanceled();
  return answer.map((each) => chosen(choices, each));
}

function chosen<Value extends string>(choices: readonly Choice<Value>[], value: string): Value {
  const choice = choices.find((each) => each.value === value);
  if (choice === undefined) throw new Error(`${JSON.stringify(value)} was not offered`);
  return choice.value;
}
