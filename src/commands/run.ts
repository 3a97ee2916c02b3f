import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineCommand } from "citty";
import { loadFrom, settingArgs } from "../config/flags.js";
import { thisMachine } from "../config/machine.js";
import { PRIVATE } from "../setup/client-file.js";
import { CommandFailure } from "./line/command-failure.js";
import { withContext } from "./setup/context-window.js";
import { findCommand } from "./setup/find-command.js";
import { gatewayFor } from "./setup/gateway-for.js";
import { runChild } from "./setup/run-child.js";
import { clientNamed, targetArgs, targetFrom } from "./setup/target.js";

const runSettings = ["host", "port", "keyFile", "backend"] as const;

/** Starts a client that talks to the gateway, with nothing written into the user's files. */
export const run = defineCommand({
  args: {
    client: { type: "positional", required: false, description: "The client; what comes after it is handed on to it" },
    ...targetArgs,
    ...settingArgs(runSettings),
  },
  async run({ args, rawArgs }) {
    const [name] = args._;
    if (name === undefined) throw new CommandFailure(2, "Name a client: curlew run NAME\nSee: curlew setup");
    const client = clientNamed(name);
    if (client.launch === undefined) {
      throw new CommandFailure(2, `${client.title} takes its settings from its files alone. Run: curlew setup ${name}`);
    }
    const { settings } = loadFrom(args, runSettings);
    const machine = thisMachine();
    const handedOn = rawArgs.slice(rawArgs.indexOf("--") + 1);
    const [command = "", ...rest] = client.command === undefined ? handedOn : [client.command, ...handedOn];
    if (command === "") throw new CommandFailure(2, `Name a program: curlew run ${name} PROGRAM`);
    const program = findCommand(command, machine) ?? (/[\\/]/.test(command) ? command : undefined);
    if (program === undefined) throw new CommandFailure(1, `${command} is not installed, or not on the PATH.`);

    const wish = targetFrom(args, settings);
    const gateway = await gatewayFor(wish.url, settings, { mayStart: args.url === undefined });
    const folder = mkdtempSync(join(tmpdir(), "curlew-run-"));
    try {
      const { target } = await withContext({ ...wish, url: gateway.url });
      const launch = client.launch(target, { folder, env: machine.env });
      for (const [file, text] of Object.entries(launch.files ?? {})) {
        writeFileSync(join(folder, file), text, { mode: PRIVATE });
      }
      return await runChild(program, [...(launch.args ?? []), ...rest], { ...machine.env, ...launch.env });
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await gateway.stop();
    }
  },
});
