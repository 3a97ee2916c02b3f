import { text as readAll } from "node:stream/consumers";
import { CommandFailure } from "../line/command-failure.js";

/**
 * Reads a secret from the terminal, without showing it, or from a pipe. It is not a flag, because others can read command
 * lines.
 *
 * @throws {CommandFailure} The user cancels.
 */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await readAll(process.stdin)).trim();
  const { password, isCancel } = await import("@clack/prompts");
  const answer = await password({ message: question, output: process.stderr });
  if (isCancel(answer)) throw new CommandFailure(1, "Canceled. Nothing was kept.");
  return answer.trim();
}

/** Asks yes or no; the default is no. Without a terminal the answer is no. */
export async function askConsent(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}
