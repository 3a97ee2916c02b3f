import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { makeKey } from "@curlew/meter/keys/index.js";
import { runningGateway } from "../app/running-gateway.js";
import { hasNamedKeys, startServer } from "../app/start/start-server.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import type { LoadedSettings } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import type { Client } from "../setup/client.js";
import { PRIVATE } from "../setup/client-file.js";
import type { CommandMachine } from "../terminal/command-machine.js";
import { CommandFailure } from "../terminal/print.js";
import { findCommand } from "../terminal/programs.js";
import { defineCommand, word } from "./line/definition.js";
import { accountModels } from "./setup/account-models.js";
import { dropClientKey, findClientKey, storeClientKey } from "./setup/client-key.js";
import { installedClient } from "./setup/client-location.js";
import { notInstalled } from "./setup/plan-client.js";
import { addressFrom, clientNamed, modelFrom, targetArgs, targetFor } from "./setup/target.js";

export const run = defineCommand({
  passesOn: true,
  args: {
    client: word("The client; everything after it is passed on to it"),
    ...targetArgs,
    ...settingArgs(["host", "port", "keyFile", "backend"]),
  },
  examples: [
    ["curlew run claude --continue", "start Claude Code, nothing written"],
    ["curlew run --model composer-2.5 opencode", "start OpenCode with this model"],
    ["curlew run env node script.js", "start any program that uses an SDK"],
  ],
  async run({ args, machine }) {
    const [name, ...behind] = args._;
    if (name === undefined) throw new CommandFailure(2, "Name a client: curlew run NAME\nSee: curlew setup");
    const client = installedClient(clientNamed(name), machine);
    if (client.launch === undefined) {
      throw new CommandFailure(2, `${client.title} reads its settings only from its files. Run: curlew setup ${name}`);
    }
    const loaded = loadFrom(args, machine);
    const { settings } = loaded;
    const handedOn = behind[0] === "--" ? behind.slice(1) : behind;
    const [command = "", ...rest] = client.command === undefined ? handedOn : [client.command, ...handedOn];
    if (command === "") throw new CommandFailure(2, `Name a program: curlew run ${name} PROGRAM`);
    const program = findCommand(command, machine) ?? (/[\\/]/.test(command) ? command : undefined);
    if (program === undefined) {
      const [reason = `${command} is not installed, or not on the PATH.`] = notInstalled(client);
      throw new CommandFailure(1, reason);
    }

    const named = modelFrom(args);
    const { url } = addressFrom(args, settings);
    const gateway = await gatewayFor(machine, client, url, loaded, args.url === undefined);
    const folder = mkdtempSync(join(tmpdir(), "curlew-run-"));
    try {
      const known = await accountModels(gateway, machine, { settings, named, mayAskCursor: false });
      const target = targetFor(gateway, known.models, known.named ?? named, settings);
      const launch = client.launch(target, { folder, env: machine.env });
      for (const [file, text] of Object.entries(launch.files ?? {})) {
        writeFileSync(join(folder, file), text, { mode: PRIVATE });
      }
      return await runChild(machine, program, [...(launch.args ?? []), ...rest], launch.env);
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await gateway.stop();
    }
  },
});

/** The gateway that answers at this address, or else a temporary one in this process. */
async function gatewayFor(
  machine: CommandMachine,
  client: Client,
  url: string,
  { settings, named }: LoadedSettings,
  mayStart: boolean,
) {
  if (await runningGateway(url)) {
    const found = await findClientKey(machine, client, { url, key: settings.key }, settings);
    await storeClientKey(found, settings);
    return { ...found, stop: async () => found.newKey && dropClientKey(found.key ?? "", settings) };
  }
  if (!mayStart) throw new CommandFailure(1, `No gateway answers at ${url}. Start it, or omit --url to start one.`);
  // Any free port, since nothing else should rely on it. The log is silent, because the screen belongs to the client.
  // Named keys are stored only as hashes, so if clients need one, this client gets a temporary key.
  const key = settings.key ?? (hasNamedKeys(settings) ? makeKey(client.name, {}, 0).secret : undefined);
  const own: Settings = { ...settings, key, host: "127.0.0.1", port: 0, logLevel: "silent" };
  const server = await startServer(own, { named, logStream: machine.stderr });
  const hurry = AbortSignal.abort();
  const stop = () => server.stop(hurry);
  await server.ready.catch(async (failure: unknown) => {
    await stop();
    throw failure;
  });
  return { url: server.url, key, stop };
}

async function runChild(
  machine: CommandMachine,
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<number> {
  // On Windows, only the shell can start npm's scripts.
  const isScript = /\.(cmd|bat)$/i.test(program);
  const words = isScript
    ? [`"${program}"`, ...args.map((word) => `"${word.replaceAll('"', '""')}"`)]
    : [program, ...args];
  const [file = program, ...rest] = words;
  const child = spawn(file, rest, { stdio: "inherit", env: { ...machine.env, ...more }, shell: isScript });
  const passOn = (signal: NodeJS.Signals) => {
    // A terminal sends Ctrl-C to both processes, and most clients treat a second Ctrl-C differently.
    if (signal !== "SIGINT" || !machine.stdin.isTTY) child.kill(signal);
  };
  const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) machine.events.on(signal, passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGTERM"]));
      child.once("error", ({ message }) => {
        reject(new CommandFailure(1, `${program} could not be started: ${message}`));
      });
    });
  } finally {
    for (const signal of signals) machine.events.off(signal, passOn);
  }
}
