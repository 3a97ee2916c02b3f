import { once } from "node:events";
import { constants } from "node:os";
import { text as readAll } from "node:stream/consumers";
import type { Reply } from "@curlew/gateway/core/index.js";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { collect } from "@curlew/gateway/turn/collect.js";
import type { Usage } from "@curlew/gateway/turn/event.js";
import type { Turn } from "@curlew/gateway/turn/turn.js";
import { runRecorded } from "../app/recorded-run.js";
import { withGateway } from "../app/with-gateway.js";
import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import type { CommandMachine, Input, Output } from "../terminal/command-machine.js";
import { CommandFailure, colorsFor, printJson } from "../terminal/print.js";
import { startSpinner } from "../terminal/spinner.js";
import { defineCommand, flag, option, word } from "./line/definition.js";

export const ask = defineCommand({
  examples: [
    ["curlew ask 'What is a curlew?'", "stream an answer"],
    ["git diff | curlew ask --system 'Review this.'", "read the prompt from a pipe"],
    ["curlew ask --model gpt-5.5 --json hello", "for scripts"],
  ],
  args: {
    prompt: word("What to ask; read from stdin if left out", { isList: true }),
    model: { type: "string", default: "auto", description: "Model, as curlew models lists it", valueHint: "id" },
    system: option("text", "System prompt"),
    thinking: flag("Show the model's thinking on stderr, even if it is not a terminal"),
    json: flag("Print the complete answer as JSON"),
    ...settingArgs(upstreamSettings),
  },
  async run({ args, machine }) {
    const { settings } = loadFrom(args, machine);
    const prompt = await readPrompt(args._, machine.stdin);
    const turn: Turn = {
      model: args.model,
      system: args.system ?? "",
      messages: [{ role: "user", content: [{ type: "text", text: prompt }] }],
      tools: [],
      toolChoice: { type: "auto" },
      parallelToolCalls: true,
      warnings: [],
    };
    return withGateway(settings, machine.stderr, async (composed) => {
      const { backend } = composed;
      // The signal is aborted with the exit code as its reason.
      const leaving = new AbortController();
      const interrupt = () => leaving.abort(128 + constants.signals.SIGINT);
      const seeEnough = () => leaving.abort(0);
      machine.events.once("SIGINT", interrupt);
      machine.stdout.on("error", seeEnough);
      const begin = beforeAnswer(machine, args.model, backend === "simulator");
      try {
        const reply = await runRecorded(composed, turn, { client: "curlew ask", signal: leaving.signal });
        const showsThinking = args.thinking || machine.stderr.isTTY === true;
        if (args.json)
          await printAnswer(machine.stdout, reply, backend === "simulator" ? backend : reply.backend, begin.answer);
        else await stream(machine, reply, showsThinking, begin.answer);
        return 0;
      } catch (thrown) {
        if (!leaving.signal.aborted) throw thrown;
        return leaving.signal.reason;
      } finally {
        begin.end();
        machine.events.off("SIGINT", interrupt);
        machine.stdout.removeListener("error", seeEnough);
      }
    });
  },
});

function beforeAnswer(machine: CommandMachine, model: string, isSimulated: boolean): { answer(): void; end(): void } {
  let stopSpinner: (() => void) | undefined = startSpinner(machine, `Waiting for ${shownOn(machine.stderr, model)}`);
  const end = () => {
    stopSpinner?.();
    stopSpinner = undefined;
  };
  return {
    end,
    answer() {
      if (stopSpinner === undefined) return;
      end();
      if (isSimulated) machine.stderr.write(colorsFor(machine.stderr, machine.env).yellow("simulated answer:\n"));
    },
  };
}

async function readPrompt(words: readonly string[], stdin: Input): Promise<string> {
  if (words.length === 0 && stdin.isTTY) {
    throw new CommandFailure(2, 'Nothing to ask. Give a prompt: curlew ask "What is a curlew?", or pipe one in.');
  }
  const prompt = words.length > 0 ? words.join(" ") : await readAll(stdin);
  if (prompt.trim() === "") throw new CommandFailure(2, "Nothing to ask: the prompt is empty.");
  return prompt;
}

/** @param onBegin called before anything is shown, perhaps more than once */
async function stream(
  { stdout, stderr, env }: CommandMachine,
  { events, model }: Reply,
  showsThinking: boolean,
  onBegin: () => void,
): Promise<void> {
  const { dim } = colorsFor(stderr, env);
  let isThinking = false;
  let endsInLine = false;
  let usage: Usage | undefined;
  for await (const batch of events) {
    let text = "";
    for (const event of batch) {
      if (event.type === "thinking" && showsThinking) {
        onBegin();
        stderr.write(dim(shownOn(stderr, event.delta)));
        isThinking = true;
      } else if (event.type === "text") {
        if (isThinking) stderr.write("\n\n");
        isThinking = false;
        text += event.delta;
      } else if (event.type === "usage") {
        usage = event.usage;
      }
    }
    if (text === "") continue;
    onBegin();
    endsInLine = !text.endsWith("\n");
    if (!stdout.write(shownOn(stdout, text))) await once(stdout, "drain");
  }
  onBegin();
  if (endsInLine) stdout.write("\n");
  stderr.write(dim(`${shownOn(stderr, usageLine(model, usage))}\n`));
}

function usageLine(model: string, usage: Usage | undefined): string {
  if (usage === undefined) return model;
  const { inputTokens, cacheReadTokens, outputTokens, estimated } = usage;
  const cached = cacheReadTokens > 0 ? `, ${cacheReadTokens} of them cached` : "";
  return `${model}: ${inputTokens} tokens in${cached}, ${outputTokens} out${estimated ? " (estimated)" : ""}`;
}

async function printAnswer(stdout: Output, reply: Reply, backend: string, onBegin: () => void): Promise<void> {
  const { text, thinking, usage, finish } = await collect(reply.events);
  onBegin();
  const { model, warnings } = reply;
  printJson(stdout, { model, backend, text, thinking, finish, usage: usage ?? null, warnings });
}
