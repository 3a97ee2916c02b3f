import { requireLogin } from "./checks.js";
import { about, login, logout, status } from "./commands/account.js";
import { describe, type OptionSpec, type Parsed, parseFlags } from "./flags.js";
import { listModels } from "./models.js";
import { listedFlags, rootFlags } from "./root-flags.js";
import { Refused, type World } from "./world.js";

const SCENARIO = "FAKE_CURSOR_AGENT_SCENARIO";
const format: OptionSpec = { flags: ["--format"], takes: { name: "format", choices: ["text", "json"] } };
const commands = ["status", "whoami", "about", "models", "create-chat", "login", "logout", "mcp", "acp", "help"];
/** As `--help` names them. */
const listed = ["login", "logout", "mcp", "status|whoami", "models", "about", "update", "create-chat", "ls", "resume"];
const TIP = "Tip: use --model <id> (or /model <id> in interactive mode) to switch.";

/** Runs the command once and returns its exit code. */
export async function run(world: World): Promise<number> {
  try {
    return await dispatch(world);
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown;
    world.err(`${thrown.message}\n`);
    return 1;
  }
}

async function dispatch(world: World): Promise<number> {
  const { scenario, env } = world;
  const root = parseFlags(world.argv, rootFlags, (word) => commands.includes(word));
  const has = (name: string) => root.options.has(name);
  const named = commands.find((name) => name === root.positionals[0]);
  const word = named ?? (has("--list-models") ? "models" : undefined);
  if (word !== undefined && scenario.hangs.includes(word)) await forever();

  if (has("--version")) return say(world, `${scenario.version}\n`);
  if (has("--help") || word === "help") return say(world, help());
  // Modules that need the model are loaded late, because their generated code takes longer to load than everything else.
  if (word === undefined) return (await import("./print/print.js")).print(world, root);

  world.recorder.call({ ...world, stdin: "" });
  const hasFormat = ["status", "whoami", "about"].includes(word) && !scenario.oldBuild;
  const own = parseFlags(root.rest, hasFormat ? [format, ...rootFlags] : rootFlags);
  const parsed = { options: new Map([...root.options, ...own.options]), positionals: own.positionals };
  switch (word) {
    case "status":
    case "whoami":
      status(world, parsed);
      return 0;
    case "about":
      about(world, parsed);
      return 0;
    case "models":
      models(world, parsed);
      return 0;
    case "create-chat":
      return say(world, `${world.newId()}\n`);
    case "login":
      login(world, env[SCENARIO]);
      return 0;
    case "logout":
      logout(world, env[SCENARIO]);
      return 0;
    case "mcp":
      await (await import("./commands/mcp.js")).mcp(world, parsed);
      return 0;
    case "acp":
      if (world.scenario.acpUnknown) throw new Refused("error: unknown command 'acp'");
      await (await import("./acp/acp.js")).serveAcp(world, parsed);
      return 0;
    default:
      throw new Refused(`error: unknown command '${word}'`);
  }
}

function say(world: World, text: string): number {
  world.recorder.call({ ...world, stdin: "" });
  world.out(text);
  return 0;
}

function help(): string {
  const options = listedFlags.map((spec) => `  ${describe(spec)}\n`).join("");
  const names = listed.map((name) => `  ${name}\n`).join("");
  return `Usage: agent [options] [command] [prompt...]\n\nOptions:\n${options}\nCommands:\n${names}`;
}

/** `models` and `--list-models` */
function models(world: World, parsed: Parsed): void {
  if (!world.scenario.modelsForAll) requireLogin(world, parsed);
  const { ansi } = world.scenario;
  const paint = (code: number, text: string) => (ansi ? `\u001b[${code}m${text}\u001b[0m` : text);
  const rows = listModels(world.scenario.models).map(({ id, name }, index) => {
    return `${paint(36, id)} - ${name}${index === 0 ? " (default)" : ""}\n`;
  });
  world.out(`${paint(2, "Available models")}\n\n${rows.join("")}\n${TIP}\n`);
}

/** A timer keeps the process alive, as a hung request would. */
function forever(): Promise<never> {
  setInterval(() => {}, 60_000);
  return new Promise(() => {});
}
