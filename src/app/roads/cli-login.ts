import { tmpdir } from "node:os";
import type { OwnLogin } from "../../backends/backend.js";
import { Cli } from "../../backends/cli/cli.js";
import type { FoundCli } from "../../backends/cli/find-cli.js";
import { systemClock } from "../../clock.js";
import { thisMachine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";

/** Which CLI there is, and what it says of its login. Throws where there is none, or where it does not say in time. */
export async function askCli(settings: Settings): Promise<FoundCli & { login: OwnLogin }> {
  const cli = new Cli({ ...cliOnThisMachine(settings), log: { info() {}, warn() {} } });
  try {
    return { ...(await cli.find()), login: await cli.login() };
  } finally {
    await cli.close();
  }
}

/** What finding it failed with; undefined where there is one. */
export async function whyCliIsMissing(settings: Settings): Promise<unknown> {
  const cli = new Cli({ ...cliOnThisMachine(settings), log: { info() {}, warn() {} } });
  try {
    await cli.find();
    return undefined;
  } catch (thrown) {
    return thrown;
  } finally {
    await cli.close();
  }
}

export async function isCliLoggedIn(settings: Settings): Promise<boolean> {
  return askCli(settings).then(
    ({ login }) => login === "logged-in",
    () => false,
  );
}

/** Where and as whom it is started. */
export function cliOnThisMachine({ cliPath, apiKey, authToken, authCheckTimeoutMs }: Settings) {
  const { env, homeDirectory } = thisMachine();
  const temporaryFolder = tmpdir();
  return { cliPath, apiKey, authToken, authCheckTimeoutMs, env, homeDirectory, temporaryFolder, clock: systemClock };
}
