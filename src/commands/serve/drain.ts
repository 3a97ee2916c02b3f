import type { Log } from "../../ops/log.js";

interface DrainDeps {
  readonly stderr: Pick<NodeJS.WriteStream, "isTTY" | "write">;
  /** Undefined if the gateway was never loaded. */
  readonly log: Pick<Log, "info"> | undefined;
  /** Whether a person reads along. */
  readonly isForPeople: boolean;
}

/** Says on the way out what is still being waited for: to people in words, to programs as lines of the log. */
export function createDrain({ stderr, log, isForPeople }: DrainDeps) {
  // The terminal has just shown ^C.
  let begin = "\n";
  const say = (text: string) => {
    stderr.write(`${begin}${text}\n`);
    begin = "";
  };
  return {
    waiting(answers: number): void {
      if (answers === 0) return;
      if (!isForPeople) log?.info({ answers }, "finishing answers");
      else say(`Finishing ${answers === 1 ? "1 answer" : `${answers} answers`}. Ctrl-C again to stop now.`);
    },
    stopped(): void {
      if (!isForPeople) log?.info({}, "stopped");
      else say("Stopped.");
    },
  };
}
