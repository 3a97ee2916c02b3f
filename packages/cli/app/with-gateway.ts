import { readPlan } from "@curlew/gateway/backends/cursor/plan.js";
import { commandCalls } from "@curlew/gateway/backends/cursor/signed-calls.js";
import type { Recorder } from "@curlew/gateway/backends/recorder.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { Settings } from "../config/settings.js";
import type { LogStream } from "../log/log-output.js";
import type { ComposedGateway } from "./compose.js";
import { chooseBackend } from "./prepare/choose-backend.js";
import { StartError } from "./prepare/start-error.js";

/** Runs `use` with a gateway in this process, without opening a port. */
export async function withGateway<Result>(
  settings: Settings,
  stderr: LogStream,
  use: (composed: ComposedGateway) => Promise<Result>,
  recorder?: Recorder,
): Promise<Result> {
  const chosen = await chooseBackend(settings);
  // Reports bad settings before loading the larger part of the program.
  const { composeGateway } = await import("./compose.js");
  const composed = await composeGateway(settings, chosen, { recorder, logStream: stderr });
  try {
    return await use(composed);
  } finally {
    await composed.close();
  }
}

/** The plan as Cursor reports it, or why it is unknown: commands have more to show, so a refusal must not fail them. */
export async function readAccount(settings: Settings, stderr: LogStream) {
  try {
    const account = await withGateway(settings, stderr, ({ tokens, upstream, network }) =>
      readPlan(commandCalls({ tokens, network, ...upstream })),
    );
    return { account, problem: null };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) && !(thrown instanceof StartError)) throw thrown;
    return { account: null, problem: thrown.message.replaceAll("\n", " ") };
  }
}
