import { outro } from "@clack/prompts";
import { runningGateway } from "../../app/running-gateway.js";
import { localUrl } from "../../app/start/listen.js";
import { hasNamedKeys, type RunningServer } from "../../app/start/start-server.js";
import { systemClock } from "../../clock.js";
import { version } from "../../version.js";
import { colorsFor } from "../line/colors.js";
import { CommandFailure } from "../line/command-failure.js";
import { serveUntilStopped } from "../serve/serve-until-stopped.js";
import { howToUse } from "../setup/next-step.js";
import { promptStyle } from "../terminal/prompts.js";
import type { Decisions, Desk } from "./desk.js";
import { askFirst } from "./first-answer.js";
import { HeldStream } from "./held-stream.js";
import { interruptible } from "./leaving.js";

const output = process.stderr;
/** A service manager takes a moment to start a program. */
const SERVICE_STARTS_WITHIN = { tries: 40, pauseMs: 500 } as const;

/** Serves as `curlew serve` does, and asks the first question meanwhile. Ends when the user stops it. */
export async function serveHere(decisions: Decisions, { settings, named }: Desk): Promise<void> {
  const logStream = new HeldStream(output);
  const options = { orSimulate: decisions.account === "simulated", named, logStream, logColors: colorsFor(output) };
  await serveUntilStopped(settings, options, async (server, stopping) => {
    outro(`curlew ${version} listens on ${server.url}`, promptStyle());
    await showFirstAnswer(server, decisions, settings.key, stopping);
    if (!stopping.aborted) output.write("Ctrl-C stops the gateway. Its requests follow here.\n\n");
    logStream.release();
  });
}

/** Waits for the service that was just installed, and asks it the first question. */
export async function answerFromService(decisions: Decisions, { settings }: Desk): Promise<void> {
  const url = localUrl(settings.host, settings.port);
  await interruptible(() => serviceAnswers(url), "Stopped. The service goes on: curlew service status");
  outro(`curlew ${version} listens on ${url}`, promptStyle());
  const { signal } = new AbortController();
  await showFirstAnswer({ url, hasNamedKeys: hasNamedKeys(settings) }, decisions, settings.key, signal);
}

/** @throws {CommandFailure} It does not answer in time. */
async function serviceAnswers(url: string): Promise<void> {
  const { tries, pauseMs } = SERVICE_STARTS_WITHIN;
  const { signal } = new AbortController();
  for (let tried = 0; tried < tries; tried++) {
    if ((await runningGateway(url)) !== undefined) return;
    await systemClock.sleep(pauseMs, signal);
  }
  throw new CommandFailure(1, `The service does not answer at ${url} yet. See: curlew service logs`);
}

async function showFirstAnswer(
  { url, hasNamedKeys: wantsKey }: Pick<RunningServer, "url" | "hasNamedKeys">,
  { account, ready, model }: Decisions,
  key: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { dim, yellow } = colorsFor(output);
  if (account === "simulated") output.write(`${yellow("SIMULATED: the answers do not come from a model.")}\n\n`);
  if (wantsKey && key === undefined) {
    output.write("Clients need a key of their own here, so no question was asked. See: curlew keys\n\n");
    return;
  }
  const problem = await askFirst({ url, key, model: model.id, signal }, output, { dim });
  if (signal.aborted) return;
  if (problem !== undefined) output.write(`${yellow(problem)}\nTo find out what is wrong: curlew doctor\n`);
  if (ready.length === 0) output.write(`\nPoint any client at ${url}/v1, or see: curlew setup\n`);
  else output.write(`\n${howToUse(ready)}\n`);
}
