import { didYouMean } from "./closest.js";
import { colorsFor } from "./commands/line/colors.js";
import { type Command, command, print } from "./commands/line/command.js";
import { CommandFailure } from "./commands/line/command-failure.js";
import { explain } from "./commands/line/explain.js";
import { programHelp } from "./commands/line/help.js";
import { watchOutput } from "./commands/line/lost-output.js";
import { version } from "./version.js";

const commands: readonly Command[] = [
  command("serve", "Run the gateway; the same as curlew alone", () => import("./commands/serve.js")),
  command("ask", "Ask a model and stream its answer", () => import("./commands/ask.js")),
  command("models", "List the models of your account", () => import("./commands/models.js")),
  command("status", "Show which credential and settings are in use", () => import("./commands/status.js")),
  command("login", "Sign in to Cursor, in the browser or with an API key", () => import("./commands/login.js")),
  command("logout", "Forget Curlew's own credential", () => import("./commands/logout.js")),
  command("usage", "Show what your plan has left, and what went through Curlew", () => import("./commands/usage.js")),
  command("limits", "Show, set or raise the limits of what clients may use", () => import("./commands/limits.js")),
  command("conduct", "Show what Cursor has seen of Curlew today", () => import("./commands/conduct.js")),
  command("logs", "Show the last requests, or the timeline of one", () => import("./commands/logs.js")),
  command("why", "Explain what made a turn cold, dear or slow, and what to change", () => import("./commands/why.js")),
  command(
    "doctor",
    "Check everything that a gateway needs, and say what fixes it",
    () => import("./commands/doctor.js"),
  ),
  command("dashboard", "Open the page of a running gateway in your browser", () => import("./commands/dashboard.js")),
  command(
    "service",
    "Have the gateway run by itself: install, start, stop or remove a service, see its log",
    () => import("./commands/service.js"),
  ),
  command(
    "setup",
    "Point an AI client at the gateway, or take it back; alone, list the clients",
    () => import("./commands/setup.js"),
  ),
  command(
    "run",
    "Start an AI client on the gateway, with nothing written into its files",
    () => import("./commands/run.js"),
    { passesOn: true },
  ),
  command(
    "keys",
    "Give each client a key of its own: add, list, limit or revoke keys",
    () => import("./commands/keys.js"),
  ),
  command("stop-all", "End every run at once, in all running gateways", async () => ({
    "stop-all": (await import("./commands/stop-all.js")).stopAll,
  })),
  command("mcp", "List or test the MCP servers whose tools Curlew runs", () => import("./commands/mcp.js")),
  command("completion", "Print a script that lets your shell complete commands and options", async () => ({
    completion: (await import("./commands/completion.js")).completionFor(commands),
  })),
  command(
    "simulate",
    "Run a simulated Cursor to develop and test against; prints its URL first",
    () => import("./commands/simulate.js"),
  ),
  command(
    "record",
    "Run the gateway and write what goes to and from Cursor into a file for a bug report",
    () => import("./commands/record.js"),
  ),
];

async function main(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  if (first === "--version" || first === "-v") return print(version);
  if (first === "help" && rest.length > 0) return main([...rest, "--help"]);
  if (first === "help" || first === "--help" || first === "-h")
    return print(programHelp(commands, colorsFor(process.stdout)));
  return first === undefined || first.startsWith("-") ? run("serve", argv) : run(first, rest);
}

function run(name: string, rawArgs: readonly string[]): Promise<number> {
  const known = commands.find((each) => each.name === name);
  if (known !== undefined) return known.run(rawArgs);
  const hint = didYouMean(
    name,
    commands.map((each) => each.name),
  );
  throw new CommandFailure(2, `Unknown command ${name}.${hint}\nSee: curlew --help`);
}

const isOutputLost = watchOutput();
const exitCode = await main(process.argv.slice(2)).catch(explain);
process.exitCode = exitCode || (isOutputLost() ? 1 : 0);
