import { text as readAll } from "node:stream/consumers";
import { CommandFailure } from "../line/command-failure.js";

/** A secret from the terminal, where it is not shown, or from what is piped in. Command lines can be read by others. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await readAll(process.stdin)).trim();
  const { password, isCancel } = await import("@clack/prompts");
  const answer = await password({ message: question, output: process.stderr });
  if (isCancel(answer)) throw new CommandFailure(1, "Canceled. Nothing was kept.");
  return answer.trim();
}

/** Yes or no, no unless said otherwise. Without a terminal there is nobody to ask. */
export async function askConsent(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}
