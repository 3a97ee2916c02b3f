import { commandCalls } from "../backends/cursor/signed-calls.js";
import type { Settings } from "../config/settings.js";
import { readPlan } from "../plan/cursor-plan.js";
import { GatewayError } from "../turn/error.js";
import { StartError } from "./prepare/start-error.js";
import { withGateway } from "./with-gateway.js";

/** The plan as Cursor reports it, or why it is unknown: commands have more to show, so a refusal must not fail them. */
export async function readAccount(settings: Settings) {
  try {
    const account = await withGateway(settings, ({ tokens, upstream, network }) =>
      readPlan(commandCalls({ tokens, network, ...upstream })),
    );
    return { account, problem: null };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) && !(thrown instanceof StartError)) throw thrown;
    return { account: null, problem: thrown.message.replaceAll("\n", " ") };
  }
}
