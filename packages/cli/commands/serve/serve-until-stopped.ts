import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { ComposedGateway } from "../../app/compose.js";
import { type RunningServer, type StartOptions, startServer } from "../../app/start/start-server.js";
import type { Settings } from "../../config/settings.js";
import type { Log } from "../../log/log.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { stopSignal } from "../line/stop-signal.js";

const WARM_UP_MS = 30_000;

/** Serves until the process is asked to stop. `announce` is called as soon as the port is open. */
export async function serveUntilStopped(
  { stderr, events }: CommandMachine,
  settings: Settings,
  options: StartOptions,
  announce: (server: RunningServer, stopping: AbortSignal) => void | Promise<void>,
): Promise<void> {
  const hurry = new AbortController();
  const stopping = new AbortController();
  const stopped = stopSignal(events, () => hurry.abort()).then(() => stopping.abort());
  const server = await startServer(settings, options);
  let composed: ComposedGateway | undefined;
  try {
    const announced = announce(server, stopping.signal);
    composed = await server.ready;
    warmUp(composed, stopping.signal);
    await announced;
    await stopped;
  } finally {
    const isForPeople = settings.logFormat !== "json" && options.logStream.isTTY === true;
    const drain = createDrain({ stderr, log: composed?.log, isForPeople });
    await server.stop(hurry.signal, drain.waiting);
    drain.stopped();
  }
}

/** Fetches the models now: the first turn need not wait for the list, and a bad credential is reported at once. */
function warmUp({ gateway, log }: ComposedGateway, stopping: AbortSignal): void {
  gateway.models(AbortSignal.timeout(WARM_UP_MS), { isFresh: true }).catch((thrown: unknown) => {
    const { code, message } = GatewayError.from(thrown);
    if (!stopping.aborted) log.warn({ code, reason: message }, "the model list could not be read");
  });
}

interface DrainDeps {
  readonly stderr: { write(text: string): unknown };
  readonly log: Pick<Log, "info"> | undefined;
  readonly isForPeople: boolean;
}

/** Reports what shutdown waits for: to people in words, to programs as log lines. */
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
