import { tmpdir } from "node:os";
import { Cli } from "../../backends/cli/cli.js";
import { systemClock } from "../../clock.js";
import { thisMachine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";

/** Whether the CLI of this machine says that it is logged in. One that is not there, or does not say in time, is not. */
export async function isCliLoggedIn(settings: Settings): Promise<boolean> {
  const cli = new Cli({ ...cliOnThisMachine(settings), log: { info() {}, warn() {} } });
  try {
    return (await cli.login()) === "logged-in";
  } catch {
    return false;
  } finally {
    await cli.close();
  }
}

/** Where and as whom it is started. */
export function cliOnThisMachine({ cliPath, apiKey, authToken, authCheckTimeoutMs }: Settings) {
  const { env, homeDirectory } = thisMachine();
  const temporaryFolder = tmpdir();
  return { cliPath, apiKey, authToken, authCheckTimeoutMs, env, homeDirectory, temporaryFolder, clock: systemClock };
}
