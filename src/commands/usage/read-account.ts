import { StartError } from "../../app/prepare/start-error.js";
import { withGateway } from "../../app/with-gateway.js";
import { commandCalls } from "../../backends/cursor/signed-calls.js";
import type { Settings } from "../../config/settings.js";
import { readPlan } from "../../plan/index.js";
import { GatewayError } from "../../turn/error.js";
import { startSpinner } from "../terminal/spinner.js";
import type { ShownUsage } from "./describe.js";

export type Account = Pick<ShownUsage, "account" | "problem">;

export async function readAccount(settings: Settings): Promise<Account> {
  const stopSpinner = startSpinner("asking Cursor", process.stderr);
  try {
    return {
      account: await withGateway(settings, ({ tokens, upstream, network }) =>
        readPlan(commandCalls({ tokens, network, ...upstream })),
      ),
      problem: null,
    };
  } catch (thrown) {
    // The usage through Curlew is worth showing anyway.
    if (!(thrown instanceof GatewayError) && !(thrown instanceof StartError)) throw thrown;
    return { account: null, problem: thrown.message.replaceAll("\n", " ") };
  } finally {
    stopSpinner();
  }
}
