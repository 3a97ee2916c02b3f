import { inspect } from "node:util";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import { StartError, type StartErrorCode } from "../../app/prepare/start-error.js";
import { SettingsError } from "../../config/settings-error.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { CommandFailure, colorsFor } from "../../terminal/print.js";
import { folded } from "../../terminal/table.js";

/** 1 = failed, 2 = used wrongly. */
const startExitCodes: Readonly<Record<StartErrorCode, 1 | 2>> = {
  credential_missing: 1,
  address_unavailable: 1,
  key_missing: 2,
  limits_unusable: 2,
  backend_unsuitable: 2,
};

/** Prints an expected failure as its message. Anything else is a bug, and a report needs its stack. Returns the exit code. */
export function explain(thrown: unknown, { stderr, env }: CommandMachine): number {
  const isForeseen =
    thrown instanceof CommandFailure ||
    thrown instanceof StartError ||
    thrown instanceof SettingsError ||
    thrown instanceof GatewayError;
  const text = isForeseen ? thrown.message : inspect(thrown);
  const said = `${colorsFor(stderr, env).red("curlew:")} ${shownOn(stderr, text)}\n`;
  stderr.write(isForeseen ? folded(stderr, said) : said);
  if (thrown instanceof CommandFailure) return thrown.exitCode;
  if (thrown instanceof StartError) return startExitCodes[thrown.code];
  return thrown instanceof SettingsError ? 2 : 1;
}
