import { commandCalls } from "../backends/cursor/signed-calls.js";
import type { Settings } from "../config/settings.js";
import { type CursorPlan, readPlan } from "../plan/index.js";
import { GatewayError } from "../turn/error.js";
import { StartError } from "./prepare/start-error.js";
import { withGateway } from "./with-gateway.js";

export interface Account {
  readonly account: CursorPlan | null;
  /** Why the account is unknown, and what to do. */
  readonly problem: string | null;
}

/** What Cursor says about the plan: commands have more to show, so a refusal is no failure. */
export async function readAccount(settings: Settings): Promise<Account> {
  try {
    const read = () =>
      withGateway(settings, ({ tokens, upstream, network }) =>
        readPlan(commandCalls({ tokens, network, ...upstream })),
      );
    return { account: await read(), problem: null };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) && !(thrown instanceof StartError)) throw thrown;
    return { account: null, problem: thrown.message.replaceAll("\n", " ") };
  }
}
