import { createInterface } from "node:readline/promises";
import type { Road } from "../../../app/prepare/road.js";
import { CommandFailure } from "../../line/command-failure.js";
import { turnsNeeded } from "./run-probes.js";

interface Wish {
  readonly backend: Road["backend"];
  readonly model: string;
  readonly isGranted: boolean;
}

/** Says what the probes cost before anything is spent, and asks. */
export async function askConsent({ backend, model, isGranted }: Wish): Promise<boolean> {
  if (backend === "simulator") return true; // costs nothing
  process.stderr.write(
    `The probes take ${turnsNeeded} turns of the model ${model} through your Cursor account, each with a prompt of a few words ` +
      "and a short answer. They count against your plan like any other turn.\n",
  );
  if (isGranted) return true;
  if (!process.stdin.isTTY)
    throw new CommandFailure(2, "Nobody can be asked here. To go ahead: curlew doctor --live --yes");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question("Run them? [y/N] ")).trim());
  } finally {
    terminal.close();
  }
}
