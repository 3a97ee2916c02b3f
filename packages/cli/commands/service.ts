import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { chooseBackend } from "../app/prepare/choose-backend.js";
import { StartError } from "../app/prepare/start-error.js";
import { withOrigins } from "../app/prepare/with-origins.js";
import { refuseOpenDoor } from "../app/start/start-server.js";
import { loadAndWarn, settingArgs, settingsFrom } from "../config/flags.js";
import { flagName } from "../config/table.js";
import {
  commandLine,
  controlService,
  createRunner,
  installed,
  installService,
  isInstalled,
  serviceState,
  uninstallService,
} from "../service/keep-service.js";
import type { Service, ServiceProgram } from "../service/service.js";
import { serviceEnvironment, serviceFor } from "../service/service-for.js";
import type { CommandMachine } from "../terminal/command-machine.js";
import { CommandFailure, print, report } from "../terminal/print.js";
import { type CommandGroup, flag, type Given, type SubCommand, subCommand, wholeNumber } from "./line/definition.js";
import { showLogs } from "./service/show-logs.js";

const MAX_LINES = 100_000;
/** Flags that the service definition keeps. Other settings belong in curlew.json, where they need no reinstallation. */
const serviceSettings = ["host", "port", "backend", "keyFile"] as const;

export const service: CommandGroup = {
  examples: [
    ["curlew service install", "install it and start it"],
    ["curlew service logs -f", "follow the gateway's log"],
  ],
  subCommands: {
    install: subCommand("Install the service and start it", {
      examples: [
        ["curlew service install", ""],
        ["curlew service install --port 8080 --dry-run", "show what would be written and run"],
      ],
      args: {
        "dry-run": flag("Show what would be written and run, and do nothing"),
        ...settingArgs(serviceSettings),
      },
      run: ({ args, machine }) => install(machine, args, args["dry-run"] === true),
    }),
    uninstall: subCommand("Stop the service and remove it", {
      examples: [["curlew service uninstall", ""]],
      args: {},
      run: ({ machine }) => uninstall(machine),
    }),
    start: controlling("start", "Start the service"),
    stop: controlling("stop", "Stop the service until the next login"),
    restart: controlling("restart", "Stop the service and start it"),
    status: subCommand("Show whether the service runs", {
      examples: [["curlew service status --json", ""]],
      args: { json: flag("Print JSON") },
      run: ({ args, machine }) => status(machine, args.json === true),
    }),
    logs: subCommand("Show the program's log (curlew logs shows the requests)", {
      examples: [
        ["curlew service logs -n 50", ""],
        ["curlew service logs -f", ""],
      ],
      args: {
        lines: { type: "string", alias: "n", default: "100", description: "How many lines to show", valueHint: "n" },
        follow: flag("Follow new lines", { alias: "f" }),
      },
      run({ args, machine }) {
        const lines = wholeNumber("--lines", args.lines, 1, MAX_LINES);
        return showLogs(machine, installed(ownService(machine)).log, lines, args.follow === true);
      },
    }),
  },
};

type Environment = ServiceProgram["environment"];

async function install(machine: CommandMachine, settings: Given, isDryRun: boolean): Promise<number> {
  const { carried, leftOut } = serviceEnvironment(machine);
  const notes = leftOut.map(
    (name) => `${name} is set here but not given to the service: service definitions must not hold secrets.`,
  );
  const wanted = ownService(machine, settings, carried);
  if (isDryRun) return print(machine.stdout, [...describe(wanted), ...notes].join("\n"));
  await checkStart(machine, settings, carried, notes);
  const isUnchanged = (await installService(wanted, createRunner(machine))) === "unchanged";
  const lines = [
    isUnchanged ? `Curlew already runs as a ${wanted.kind}.` : `Curlew now runs as a ${wanted.kind}.`,
    ...wanted.files.map(({ path }) => `  ${path}`),
    wanted.note,
    ...notes,
    "Next: curlew setup points your clients at it; curlew service status and logs show how it is doing.",
  ];
  return print(machine.stdout, lines.join("\n"));
}

async function uninstall(machine: CommandMachine): Promise<number> {
  const known = ownService(machine);
  const undone = await uninstallService(known, createRunner(machine));
  if (undone === undefined) return print(machine.stdout, "Curlew is not installed as a service.");
  const kept = known.log.kind === "files" ? [`Its log is still in ${known.log.path}`] : [];
  if (undone.length === 0) return print(machine.stdout, ["The service is stopped and removed.", ...kept].join("\n"));
  return print(
    machine.stdout,
    [
      "The files of the service are removed, so it does not start again. It may still be running, because this failed:",
      ...undone.map(({ command, reason }) => `  ${commandLine(command)}: ${reason}`),
      "When your system answers again, run these commands yourself, or log out.",
      ...kept,
    ].join("\n"),
  );
}

const controlled = {
  start: "The service is started. See how it is doing: curlew service status",
  stop: "The service is stopped until your next login. Start it again: curlew service start",
  restart: "The service is restarted. See how it is doing: curlew service status",
} as const;

function controlling(action: keyof typeof controlled, about: string): SubCommand {
  const run = async ({ machine }: { readonly machine: CommandMachine }) => {
    await controlService(ownService(machine), action, createRunner(machine));
    return print(machine.stdout, controlled[action]);
  };
  return subCommand(about, { examples: [[`curlew service ${action}`, ""]], args: {}, run });
}

async function status(machine: CommandMachine, wantsJson: boolean): Promise<number> {
  const known = ownService(machine);
  const { kind, files } = known;
  const isKnown = isInstalled(known);
  const { isRunning, pid, detail } = isKnown
    ? await serviceState(known, createRunner(machine))
    : { isRunning: false, pid: null, detail: "not installed" };
  const state = { kind, isInstalled: isKnown, isRunning, pid, detail, files: files.map(({ path }) => path) };
  const words = `${kind}: ${detail}${pid === null ? "" : `, process ${pid}`}`;
  const next = isKnown ? "curlew service start, or see why: curlew service logs" : "curlew service install";
  report(machine.stdout, state, wantsJson, () => (isRunning ? `${words}\n` : `${words}. Run: ${next}\n`));
  return isRunning ? 0 : 1;
}

/** Refuses now what the service would only log, given no more of the environment than the service gets. */
async function checkStart(
  machine: CommandMachine,
  args: Given,
  env: Environment,
  notes: readonly string[],
): Promise<void> {
  const { settings, named } = loadAndWarn({ ...settingsFrom(args, machine), env }, machine.stderr);
  try {
    refuseOpenDoor(settings);
    await chooseBackend(settings);
  } catch (failure) {
    const thrown = withOrigins(failure, named);
    if (!(thrown instanceof StartError)) throw thrown;
    throw new StartError(thrown.code, [thrown.message, ...notes].join("\n"), { cause: thrown });
  }
}

function ownService(machine: CommandMachine, args: Given = {}, environment: Environment = {}): Service {
  const main = realpathSync(machine.mainFile);
  if (/[\\/]_npx[\\/]/.test(main)) {
    const advice = "Install the packed file: npm install -g ./curlew-VERSION.tgz";
    throw new CommandFailure(1, `npx keeps its copies only for a while. ${advice}`);
  }
  const program = { node: process.execPath, main, args: ["serve", ...flagsFrom(args)], environment };
  return serviceFor(program, { ...machine, userId: process.getuid?.() ?? -1 });
}

/** A service does not start in this folder, so paths are made absolute. */
function flagsFrom(args: Given): string[] {
  return ["config", ...serviceSettings.map(flagName)].flatMap((flag) => {
    const value = args[flag];
    if (typeof value !== "string") return [];
    return [`--${flag}`, flag === "config" || flag === "key-file" ? resolve(value) : value];
  });
}

function describe({ files, install: commands }: Service): string[] {
  return [
    ...files.flatMap(({ path, text }) => [`# ${path}`, text.replace(/^\uFEFF/, "")]),
    "# then",
    ...commands.map(commandLine),
  ];
}
