import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import type { Settings } from "../config/settings.js";
import type { CommandMachine } from "../terminal/command-machine.js";
import { CommandFailure, colorsFor, report } from "../terminal/print.js";
import { askConsent } from "../terminal/prompts.js";
import { defineCommand, flag } from "./line/definition.js";
import { formerCredential, type SignInWay, signIn } from "./login/sign-in.js";
import { describeFormer, describeStored } from "./login/stored-credential.js";
import { findNextStep } from "./setup/client-location.js";

export const login = defineCommand({
  examples: [
    ["curlew login", "sign in with your browser"],
    ["curlew login --api-key", "paste a key from Cursor's dashboard"],
    ["curlew login --import", "copy the login of Cursor's own programs"],
  ],
  args: {
    "api-key": flag("Store an API key, read from a prompt or from stdin"),
    import: flag("Copy the login of Cursor's CLI, SDK or editor; asks first"),
    yes: flag("Do not ask before a login is imported or replaced"),
    "no-browser": flag("Only print the address to open (NO_OPEN_BROWSER=1)"),
    json: flag("Print what was stored as JSON"),
    ...settingArgs(["backendUrl", "websiteUrl", "credentialStore"]),
  },
  async run({ args, machine }) {
    const { settings } = loadFrom(args, machine);
    if (args["api-key"] && args.import) throw new CommandFailure(2, "Use either --api-key or --import.");
    const hasConsent = args.yes === true;
    const wayOf = (): SignInWay => {
      if (args["api-key"]) return { by: "api-key" };
      if (args.import) return { by: "import", hasConsent };
      return { by: "browser", opensBrowser: args["no-browser"] !== true && !machine.env.NO_OPEN_BROWSER };
    };
    await announceReplacement(machine, settings, hasConsent || args.json === true);
    const stored = await signIn(machine, settings, wayOf());
    const next = args.json ? "" : await findNextStep(settings, { isSignedIn: true });
    report(machine.stdout, stored, args.json, () =>
      [...describeStored(stored, settings, colorsFor(machine.stdout, machine.env)), next, ""].join("\n"),
    );
  },
});

/** A replaced key stays valid at Cursor, so a second sign-in is announced, and confirmed on a terminal. */
async function announceReplacement(machine: CommandMachine, settings: Settings, hasConsent: boolean): Promise<void> {
  const former = await formerCredential(settings);
  if (former === undefined) return;
  const lines = shownOn(machine.stderr, describeFormer(former, settings));
  machine.stderr.write(`${lines.join("\n")}\n`);
  if (hasConsent || !machine.stdin.isTTY) return;
  if (!(await askConsent(machine, "Sign in again?"))) throw new CommandFailure(1, "Nothing was changed.");
}
