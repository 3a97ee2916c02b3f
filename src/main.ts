import { type Command, command, print } from "./commands/line/command.js";
import { explain } from "./commands/line/explain.js";
import { watchOutput } from "./commands/line/lost-output.js";
import { version } from "./version.js";

const START = "Get started";
const LOOK = "See what is going on";
const CONTROL = "Set rules";
const TOOLS = "Tools";

const commands: readonly Command[] = [
  command("login", START, "Sign in to Cursor, in the browser or with an API key", () => import("./commands/login.js")),
  command("setup", START, "Point an AI client at the gateway, or undo that", () => import("./commands/setup.js")),
  command("serve", START, "Run the gateway; the same as curlew alone", () => import("./commands/serve.js")),
  command("run", START, "Start an AI client on the gateway, no file changed", () => import("./commands/run.js")),
  command("ask", START, "Ask a model and stream its answer", () => import("./commands/ask.js")),
  command("service", START, "Run the gateway in the background", () => import("./commands/service.js")),
  command("logout", START, "Forget Curlew's own credential", () => import("./commands/logout.js")),
  command("status", LOOK, "Show which credential and settings are in use", () => import("./commands/status.js")),
  command("models", LOOK, "List the models of your account", () => import("./commands/models.js")),
  command("usage", LOOK, "Show what is left of your plan and what clients used", () => import("./commands/usage.js")),
  command("logs", LOOK, "Show the last requests, or the timeline of one", () => import("./commands/logs.js")),
  command("why", LOOK, "Explain why a turn was cold, costly or slow", () => import("./commands/why.js")),
  command("dashboard", LOOK, "Open the page of a running gateway", () => import("./commands/dashboard.js")),
  command("doctor", LOOK, "Check everything a gateway needs, and how to fix it", () => import("./commands/doctor.js")),
  command("conduct", LOOK, "Show what Cursor has seen of Curlew today", () => import("./commands/conduct.js")),
  command("limits", CONTROL, "Show, set or raise what clients may use", () => import("./commands/limits.js")),
  command("keys", CONTROL, "Give each client a key of its own", () => import("./commands/keys.js")),
  command("mcp", CONTROL, "List or test the MCP servers whose tools Curlew runs", () => import("./commands/mcp.js")),
  command("stop-all", CONTROL, "End every run at once, in all running gateways", async () => ({
    "stop-all": (await import("./commands/stop-all.js")).stopAll,
  })),
  command("completion", TOOLS, "Print a completion script for your shell", async () => ({
    completion: (await import("./commands/completion.js")).completionFor(commands),
  })),
  command(
    "simulate",
    TOOLS,
    "Run a simulated Cursor to develop and test against",
    () => import("./commands/simulate.js"),
  ),
  command("record", TOOLS, "Run the gateway and record it for a bug report", () => import("./commands/record.js")),
];

async function main(argv: readonly string[]): Promise<number> {
  const [first] = argv;
  if (first === "--version" || first === "-v") return print(version);
  const { runLine } = await import("./commands/line/parser/run-line.js");
  if (first !== undefined) return runLine(commands, inFull(argv));
  const { startAlone } = await import("./commands/first-run.js");
  return startAlone((name, rawArgs) => runLine(commands, [name, ...rawArgs]));
}

/** Options alone are those of `serve`; `help ask all` is another way to say `ask --help all`. */
function inFull(argv: readonly string[]): readonly string[] {
  const [first = "", ...rest] = argv;
  if (first === "--help" || first === "-h") return argv;
  if (first === "help") {
    const isLong = rest.at(-1) === "all";
    return isLong ? [...rest.slice(0, -1), "--help", "all"] : [...rest, "--help"];
  }
  return first.startsWith("-") ? ["serve", ...argv] : argv;
}

const isOutputLost = watchOutput();
const exitCode = await main(process.argv.slice(2)).catch(explain);
process.exitCode = exitCode || (isOutputLost() ? 1 : 0);
