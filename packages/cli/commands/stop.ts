import { z } from "zod";
import { runFolder } from "../app/prepare/own-files.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import { askGateways } from "../control/running-gateways.js";
import { CommandFailure, report } from "../terminal/print.js";
import { defineCommand, flag, word } from "./line/definition.js";

const Stopped = z.object({ replies: z.int().nonnegative(), waiting: z.int().nonnegative() });

const CONVERSATION = /^[\w-]{1,100}$/;

export const stop = defineCommand({
  examples: [
    ["curlew stop", "end all runs; the gateways keep running"],
    ["curlew stop 3f2a9c01b7", "end those of one conversation"],
  ],
  args: {
    conversation: word("Only the runs of this conversation, as curlew logs ID names it"),
    json: flag("Print JSON"),
    ...settingArgs([]),
  },
  async run({ args, machine }) {
    const { conversation } = args;
    if (conversation !== undefined && !CONVERSATION.test(conversation)) {
      throw new CommandFailure(2, "Use the conversation name that curlew logs ID shows: curlew stop CONVERSATION");
    }
    const route = `/curlew/stop${conversation === undefined ? "" : `?conversation=${conversation}`}`;
    const answers = await askGateways(runFolder(loadFrom(args, machine).settings), route);
    const gateways = answers.map(({ url, pid, answer, problem }) => {
      // Null if the gateway could not be asked; then `problem` says why.
      const stopped = Stopped.safeParse(answer).data ?? null;
      return { url, pid, stopped, problem: problem ?? (stopped === null ? "its answer is not understood" : null) };
    });
    report(machine.stdout, { gateways }, args.json, (shown) => {
      const lines = shown.gateways.map(
        ({ url, pid, ...each }) => `${url}: ${outcome(each.stopped, each.problem, pid)}\n`,
      );
      return lines.length === 0 ? "No gateway is running.\n" : lines.join("");
    });
    return gateways.some(({ stopped }) => stopped === null) ? 1 : 0;
  },
});

function outcome(stopped: z.infer<typeof Stopped> | null, problem: string | null, pid: number): string {
  if (stopped === null) return `could not be asked (${problem}). To end it as a whole, end process ${pid}.`;
  const { replies, waiting } = stopped;
  const runs = replies + waiting;
  if (runs === 0) return "nothing was running.";
  const parts = [
    ...(replies > 0 ? [`${replies} answering`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for tools`] : []),
  ];
  return `stopped ${runs} ${runs === 1 ? "run" : "runs"} (${parts.join(", ")}).`;
}
