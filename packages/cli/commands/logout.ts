import { ownStore } from "../app/prepare/own-files.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import { report } from "../terminal/print.js";
import { defineCommand, flag } from "./line/definition.js";
import { credentialVariables, revokePage } from "./login/stored-credential.js";

export const logout = defineCommand({
  examples: [["curlew logout", "remove Curlew's credential from this machine"]],
  args: {
    json: flag("Print JSON"),
    ...settingArgs(["websiteUrl", "credentialStore"]),
  },
  async run({ args, machine }) {
    const { settings } = loadFrom(args, machine);
    const store = ownStore(settings);
    const lookup = await store.read();
    const removed = await store.remove();
    // A key that is removed here is still valid at Cursor.
    const isKeyAlive = lookup.state === "kept" && lookup.kept.secret.kind === "api-key";
    const revokeAt = isKeyAlive ? revokePage(settings) : null;
    const stillSet = credentialVariables(settings);
    const lines = [removed ? "Curlew's credential is removed from this machine." : "Curlew had no stored credential."];
    if (revokeAt !== null) lines.push(`The key itself stays valid until you revoke it: ${revokeAt}`);
    for (const name of stillSet) lines.push(`${name} is still set in this environment.`);
    report(machine.stdout, { removed, revokeAt, stillSet }, args.json, () => `${lines.join("\n")}\n`);
  },
});
