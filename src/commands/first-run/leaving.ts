import { outro } from "@clack/prompts";
import type { Settings } from "../../config/settings.js";
import { findNextStep } from "../setup/next-step.js";
import { promptStyle } from "../terminal/prompts.js";
import { CLEAR_LINE } from "../terminal/spinner.js";
import type { Decisions } from "./desk.js";

const output = process.stderr;

/** How to go on after leaving the guide, which comes again only while there is no credential. */
export async function howToGoOn({ account }: Pick<Decisions, "account">, settings: Settings): Promise<string> {
  if (account !== "signed in") return "Stopped. To go on: curlew";
  return `Stopped; you are signed in. ${await findNextStep(settings, { isSignedIn: true, isRunning: false })}`;
}

/** Waits for what cannot be canceled. Ctrl-C ends the program as it always does, but not without a word. */
export async function interruptible<Result>(work: () => Promise<Result>, goOn: string): Promise<Result> {
  const onInterrupt = () => {
    output.write(CLEAR_LINE);
    outro(goOn, promptStyle());
    process.kill(process.pid, "SIGINT"); // nobody listens to it any more
  };
  process.once("SIGINT", onInterrupt);
  try {
    return await work();
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}
