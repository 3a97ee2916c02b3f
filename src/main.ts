import { closest } from "./closest.js";
import { colorsFor } from "./commands/line/colors.js";
import { type Command, command, print } from "./commands/line/command.js";
import { CommandFailure } from "./commands/line/command-failure.js";
import { explain } from "./commands/line/explain.js";
import { programHelp } from "./commands/line/help.js";
import { watchOutput } from "./commands/line/lost-output.js";
import { version } from "./version.js";

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

async function main(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  if (first === "--version" || first === "-v") return print(version);
  if (first === "help" && rest.length > 0) return main([...rest, "--help"]);
  if (first === "help" || first === "--help" || first === "-h")
    return print(programHelp(commands, colorsFor(process.stdout)));
  return first === undefined || first.startsWith("-") ? run("serve", argv) : run(first, rest);
}

function run(name: string, rawArgs: readonly string[]): Promise<number> {
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (known !== undefined) return known.run(name, rawArgs);
  const [near] = closest(name, Object.keys(commands));
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  throw new CommandFailure(2, `Unknown command ${name}.${hint}\nSee: curlew --help`);
}

const output = watchOutput();
const exitCode = await main(process.argv.slice(2)).catch(explain);
process.exitCode = exitCode || (output.isLost ? 1 : 0);
