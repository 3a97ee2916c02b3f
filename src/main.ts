import { inspect } from "node:util";
import { type ArgsDef, type CommandDef, runCommand } from "citty";
import { closest } from "./closest.js";
import { checkArguments } from "./commands/check-arguments.js";
import { CommandFailure } from "./commands/command-failure.js";
import { commandHelp, programHelp } from "./commands/help.js";
import { withPassedOn } from "./commands/passed-on.js";
import { colorsFor } from "./commands/terminal.js";
import { SettingsError } from "./config/settings-error.js";
import { surviveErrors } from "./ops/log-output.js";
import { GatewayError } from "./turn/error.js";
import { version } from "./version.js";

const colors = colorsFor(process.stdout);

interface Command {
  readonly about: string;
  args(): Promise<ArgsDef>;
  run(name: string, rawArgs: readonly string[]): Promise<number>;
}

const commands: Readonly<Record<string, Command>> = {
  serve: command("Run the gateway; the same as curlew alone", async () => (await import("./commands/serve.js")).serve),
  ask: command("Ask a model and stream its answer", async () => (await import("./commands/ask.js")).ask),
  models: command("List the models of your account", async () => (await import("./commands/models.js")).models),
  status: command(
    "Show which credential and settings are in use",
    async () => (await import("./commands/status.js")).status,
  ),
  login: command(
    "Sign in to Cursor, in the browser or with an API key",
    async () => (await import("./commands/login.js")).login,
  ),
  logout: command("Forget Curlew's own credential", async () => (await import("./commands/logout.js")).logout),
  usage: command(
    "Show what your plan has left, and what went through Curlew",
    async () => (await import("./commands/usage.js")).usage,
  ),
  doctor: command(
    "Check everything that a gateway needs, and say what fixes it",
    async () => (await import("./commands/doctor.js")).doctor,
  ),
  service: command(
    "Have the gateway run by itself: install, uninstall, status or logs of a service",
    async () => (await import("./commands/service.js")).service,
  ),
  setup: command(
    "Point an AI client at the gateway, or take it back; alone, list the clients",
    async () => (await import("./commands/setup.js")).setup,
  ),
  run: command(
    "Start an AI client on the gateway, with nothing written into its files",
    async () => (await import("./commands/run.js")).run,
    { passesOn: true },
  ),
  mcp: command(
    "List or test the MCP servers whose tools Curlew runs",
    async () => (await import("./commands/mcp.js")).mcp,
  ),
  completion: command("Print a script that lets your shell complete commands and options", async () =>
    (await import("./commands/completion.js")).completionFor(commands),
  ),
  simulate: command(
    "Run a simulated Cursor to develop and test against; prints its URL first",
    async () => (await import("./commands/simulate.js")).simulate,
  ),
};

const about = `curlew ${version}: the models of your own Cursor subscription, for any AI client`;

async function main(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  if (first === "--version" || first === "-v") return print(version);
  if (first === "help" && rest.length > 0) return main([...rest, "--help"]);
  if (first === "help" || first === "--help" || first === "-h") return print(programHelp(about, commands, colors));
  return first === undefined || first.startsWith("-") ? run("serve", argv) : run(first, rest);
}

function run(name: string, rawArgs: readonly string[]): Promise<number> {
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (known !== undefined) return known.run(name, rawArgs);
  const [near] = closest(name, Object.keys(commands));
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  throw new CommandFailure(2, `Unknown command ${name}.${hint}\nSee: curlew --help`);
}

/** A command is imported only when it runs: what it needs must not slow down the others. */
function command<Args extends ArgsDef>(
  about: string,
  load: () => Promise<CommandDef<Args>>,
  { passesOn = false } = {},
): Command {
  const argsOf = async ({ args }: CommandDef<Args>): Promise<ArgsDef> =>
    (await (typeof args === "function" ? args() : args)) ?? {};
  return {
    about,
    args: async () => argsOf(await load()),
    async run(name, given) {
      const loaded = await load();
      const args = await argsOf(loaded);
      const rawArgs = passesOn ? withPassedOn(args, given) : given;
      if (checkArguments(name, args, rawArgs).wantsHelp) return print(commandHelp(name, about, args, colors));
      const { result } = await runCommand(loaded, { rawArgs: [...rawArgs] });
      return typeof result === "number" ? result : 0;
    },
  };
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

/** Failures that we foresaw are told in their own words; anything else is a bug, and its stack is what a report needs. */
function explain(thrown: unknown): number {
  const isForeseen =
    thrown instanceof CommandFailure || thrown instanceof SettingsError || thrown instanceof GatewayError;
  const text = isForeseen ? thrown.message : inspect(thrown);
  process.stderr.write(`${colorsFor(process.stderr).red("curlew:")} ${text}\n`);
  if (thrown instanceof CommandFailure) return thrown.exitCode;
  return thrown instanceof SettingsError ? 2 : 1;
}

// Nobody reads our words any more, or there is no room for them: no reason to stop a gateway.
surviveErrors(process.stderr);

let hasLostOutput = false;
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") return; // a reader such as head(1) that has seen enough is no failure
  if (!hasLostOutput) process.stderr.write(`curlew: standard output cannot be written (${code}).\n`);
  hasLostOutput = true;
  process.exitCode ||= 1;
});

const exitCode = await main(process.argv.slice(2)).catch(explain);
process.exitCode = exitCode || (hasLostOutput ? 1 : 0);
