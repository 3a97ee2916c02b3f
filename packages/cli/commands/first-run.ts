import { chooseBackend } from "../app/prepare/choose-backend.js";
import { StartError } from "../app/prepare/start-error.js";
import { refuseOpenDoor } from "../app/start/start-server.js";
import { loadFrom } from "../config/flags.js";
import { loadSettings } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import type { CommandMachine } from "../terminal/command-machine.js";
import { canChoose } from "../terminal/spinner.js";
import type { RunCommand } from "./first-run/desk.js";

const THREE_COMMANDS = `No Cursor credential was found. Three commands lead to a running gateway:
  curlew login          signs in to Cursor (or set CURSOR_API_KEY to a key of your account)
  curlew setup CLIENT   points an AI client at the gateway; curlew setup lists them
  curlew                starts the gateway
To try it without an account: curlew serve --or-simulate`;

/** Serves; before a sign-in, starts the guide on a terminal, or lists the commands elsewhere. */
export async function startAlone(machine: CommandMachine, run: RunCommand): Promise<number> {
  if (canChoose(machine) && (await lacksCredential(loadSettings(machine).settings))) {
    const { guide } = await import("./first-run/guide.js");
    return guide(loadFrom({}, machine), machine, run);
  }
  try {
    return await run("serve", []);
  } catch (thrown) {
    if (!(thrown instanceof StartError && thrown.code === "credential_missing")) throw thrown;
    throw new StartError(thrown.code, THREE_COMMANDS, { cause: thrown });
  }
}

/** Other reasons why a gateway cannot start are left to `serve`, because the guide could not fix them. */
async function lacksCredential(settings: Settings): Promise<boolean> {
  try {
    refuseOpenDoor(settings);
    await chooseBackend(settings);
    return false;
  } catch (thrown) {
    return thrown instanceof StartError && thrown.code === "credential_missing";
  }
}
