import { outro } from "@clack/prompts";
import type { Clock } from "@curlew/gateway/system/clock.js";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { anySignal } from "@curlew/gateway/turn/any-signal.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import { z } from "zod";
import { runningGateway } from "../../app/running-gateway.js";
import { localUrl } from "../../app/start/listen.js";
import { hasNamedKeys, type RunningServer } from "../../app/start/start-server.js";
import { version } from "../../app/version.js";
import type { LogStream } from "../../log/log-output.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { type Colors, CommandFailure, colorsFor } from "../../terminal/print.js";
import { type Choice, choose, PromptCanceled, promptStyle } from "../../terminal/prompts.js";
import { serveUntilStopped } from "../serve/serve-until-stopped.js";
import { howToUse } from "../setup/client-location.js";
import { type Decisions, type Desk, goBackFrom, interruptible, type Outcome, sayFailure } from "./desk.js";

export type StartChoice = "here" | "service" | "sign-in" | "simulate" | "later" | "back";

/** The choices depend on the account: a service would not start without a credential. */
export function startChoices(account: Decisions["account"]): Choice<StartChoice>[] {
  const here: Choice<StartChoice> = {
    value: "here",
    label: "Start it here",
    hint: "runs in this terminal until Ctrl-C",
  };
  const first: Readonly<Record<Decisions["account"], readonly Choice<StartChoice>[]>> = {
    "signed in": [
      here,
      { value: "service", label: "Install it as a service", hint: "runs in the background, also after a restart" },
    ],
    simulated: [here],
    none: [
      { value: "sign-in", label: "Sign in first", hint: "needed for answers from Cursor" },
      { value: "simulate", label: "Start it with simulated answers", hint: "not from a model" },
    ],
  };
  return [...first[account], { value: "later", label: "Not now" }, { value: "back", label: "Go back" }];
}

export async function startStep(decisions: Decisions, desk: Desk): Promise<Outcome> {
  const { machine } = desk;
  const done: Outcome = { decisions, next: "done" };
  for (;;) {
    const choice = await choose(
      machine,
      "Start the gateway, and ask a first question?",
      startChoices(decisions.account),
    );
    try {
      switch (choice) {
        case "sign-in":
          return { decisions, next: "sign-in" };
        case "back":
          return { decisions, next: decisions.account === "simulated" ? "sign-in" : await goBackFrom("start", desk) };
        case "later":
          outro("To start the gateway: curlew", promptStyle(machine));
          return done;
        case "simulate":
        case "here":
          await serveHere(choice === "simulate" ? { ...decisions, account: "simulated" } : decisions, desk);
          return done;
        case "service":
          if ((await desk.run("service", ["install"])) !== 0) continue;
          await answerFromService(decisions, desk);
          return done;
      }
    } catch (thrown) {
      if (thrown instanceof PromptCanceled) throw thrown;
      sayFailure(thrown, desk.say);
    }
  }
}

const never = new AbortController().signal;
/** A service manager takes a moment to start a program. */
const SERVICE_STARTS_WITHIN = { tries: 40, pauseMs: 500 } as const;

async function serveHere(decisions: Decisions, { settings, named, machine }: Desk): Promise<void> {
  const { stderr } = machine;
  const logStream = heldStream(stderr);
  const options = {
    orSimulate: decisions.account === "simulated",
    named,
    logStream,
    logColors: colorsFor(stderr, machine.env),
  };
  await serveUntilStopped(machine, settings, options, async (server, stopping) => {
    outro(`curlew ${version} listens on ${server.url}`, promptStyle(machine));
    await showFirstAnswer(machine, server, decisions, settings.key, stopping);
    if (!stopping.aborted) stderr.write("Ctrl-C stops the gateway. Requests appear here.\n\n");
    logStream.release();
  });
  for (const { title, name } of decisions.ready) {
    const undo = `To undo it: curlew setup ${name} --undo`;
    stderr.write(`${title} points here and will fail until you run curlew again. ${undo}\n`);
  }
}

async function answerFromService(decisions: Decisions, { settings, machine }: Desk): Promise<void> {
  const url = localUrl(settings.host, settings.port);
  await interruptible(
    machine,
    () => serviceAnswers(url, machine.clock),
    "Stopped. The service keeps running: curlew service status",
  );
  outro(`curlew ${version} listens on ${url}`, promptStyle(machine));
  await showFirstAnswer(machine, { url, hasNamedKeys: hasNamedKeys(settings) }, decisions, settings.key, never);
}

async function serviceAnswers(url: string, clock: Clock): Promise<void> {
  const { tries, pauseMs } = SERVICE_STARTS_WITHIN;
  for (let tried = 0; tried < tries; tried++) {
    if ((await runningGateway(url)) !== undefined) return;
    await clock.sleep(pauseMs, never);
  }
  throw new CommandFailure(1, `The service does not answer at ${url} yet. See: curlew service logs`);
}

async function showFirstAnswer(
  { stderr, env }: CommandMachine,
  { url, hasNamedKeys: wantsKey }: Pick<RunningServer, "url" | "hasNamedKeys">,
  { account, ready, model }: Decisions,
  key: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const colors = colorsFor(stderr, env);
  const { yellow } = colors;
  if (account === "simulated") stderr.write(`${yellow("SIMULATED: the answers do not come from a model.")}\n\n`);
  if (wantsKey && key === undefined) {
    stderr.write("Clients need a key here, so the first question was skipped. See: curlew keys\n\n");
    return;
  }
  const problem = await askFirst({ url, key, model: model.id, signal, colors }, stderr);
  if (signal.aborted) return;
  if (problem !== undefined) stderr.write(`${yellow(problem)}\nTo find out what is wrong: curlew doctor\n`);
  if (ready.length > 0) stderr.write(`\n${howToUse(ready)}\n`);
  else if (account !== "simulated") stderr.write(`\nPoint any client at ${url}/v1, or see: curlew setup\n`);
  else stderr.write(`\nOpen another terminal and try a client without changing its files: curlew run CLIENT\n`);
}

/** Buffers lines until `release`, so that they do not interrupt other output. */
export function heldStream(stream: LogStream) {
  let held: Parameters<LogStream["write"]>[] | undefined = [];
  return {
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
    get writableLength() {
      return stream.writableLength ?? 0;
    },
    write(...line: Parameters<LogStream["write"]>) {
      if (held === undefined) stream.write(...line);
      else held.push(line);
    },
    release() {
      const lines = held ?? [];
      held = undefined;
      for (const line of lines) stream.write(...line);
    },
  };
}

const QUESTION = "Say hello in one short sentence.";
/** A first answer takes seconds; an agent that thinks for long takes longer. */
const ANSWER_MS = 120_000;

const Frame = z.looseObject({
  choices: z.array(z.looseObject({ delta: z.looseObject({ content: z.string().nullish() }).optional() })).default([]),
  error: z.looseObject({ message: z.string() }).optional(),
});
const Failure = z.looseObject({ error: z.looseObject({ message: z.string() }) });

interface Asked {
  readonly url: string;
  readonly key: string | undefined;
  readonly model: string;
  readonly signal: AbortSignal;
  readonly colors: Colors;
}

/** Asks the gateway a question as a client would, and streams the answer. Returns the reason if it fails. */
export async function askFirst(
  { url, key, model, signal, colors }: Asked,
  output: LogStream,
): Promise<string | undefined> {
  const { dim } = colors;
  output.write(`${dim(`You: ${QUESTION}`)}\n${dim(`${shownOn(output, model)}: `)}`);
  let endsInLine = true;
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": `curlew/${version}`,
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: QUESTION }] }),
      signal: anySignal([signal, AbortSignal.timeout(ANSWER_MS)]),
      redirect: "error",
    });
    if (!response.ok) return shownOn(output, Failure.parse(await response.json()).error.message);
    for await (const { choices, error } of framesOf(response)) {
      if (error !== undefined) return shownOn(output, error.message);
      const text = choices[0]?.delta?.content ?? "";
      output.write(shownOn(output, text));
      if (text !== "") endsInLine = !text.endsWith("\n");
    }
    return undefined;
  } catch (thrown) {
    return reasonOf(thrown);
  } finally {
    if (endsInLine) output.write("\n");
  }
}

async function* framesOf(response: Response): AsyncGenerator<z.infer<typeof Frame>> {
  let rest = "";
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const json = /^data: (\{.*)$/.exec(line)?.[1];
      if (json !== undefined) yield Frame.parse(JSON.parse(json));
    }
  }
}
