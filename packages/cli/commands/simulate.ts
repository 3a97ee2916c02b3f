import { readFileSync } from "node:fs";
import {
  createReplay,
  defaultOptions,
  flagOf,
  InvalidOption,
  NotACapture,
  optionTable,
  parseOptions,
  readCapture,
  type SimulatorOptions,
  startSimulator,
  type TakeOver,
} from "@curlew/simulator/index.js";
import { listenFailure } from "../app/start/listen.js";
import type { Output } from "../terminal/command-machine.js";
import { orFail } from "../terminal/print.js";
import { type ArgDef, defineCommand, flag, type Given, option, wholeNumber } from "./line/definition.js";
import { stopSignal } from "./line/stop-signal.js";

const HOST = "127.0.0.1";

/** Options for trying a client; the others are for tests of gateways. */
const common = new Set(["strict", "transport", "bootstrap-ms", "delta-ms", "token-ttl", "login", "usage", "fallback"]);

export const simulate = defineCommand({
  examples: [
    ["curlew simulate --port 32200", "listen on a fixed port"],
    ["curlew simulate --delta-ms 50", "answer at a human pace"],
  ],
  args: {
    port: { type: "string", default: "0", description: "Port to listen on; 0 takes a free one", valueHint: "port" },
    scenario: option("file", "JSON file of options, by their names in camelCase"),
    replay: option("file", "Play the server's side of a capture"),
    ...optionArgs(),
  },
  async run({ args, machine }) {
    const port = wholeNumber("--port", args.port, 0, 65_535);
    const given: Given = args;
    const flags = Object.keys(defaultOptions).map((name) => [flagOf(name), given[flagOf(name)]]);
    const options = { ...scenarioFrom(args.scenario), ...parsed(Object.fromEntries(flags), "") };
    const takeOver = args.replay === undefined ? undefined : replayOf(args.replay, machine.stderr);
    const simulator = await startSimulator({ host: HOST, port, takeOver, ...options }).catch((thrown: unknown) => {
      throw listenFailure(thrown, HOST, port);
    });
    const stopped = stopSignal(machine.events); // before the address is printed: a reader may signal at once
    machine.stdout.write(`${simulator.url}\n`);
    machine.stderr.write(
      `A simulated Cursor, for Curlew and other clients: CURSOR_BACKEND_URL=${simulator.url} CURSOR_API_KEY=crsr_anything\n`,
    );
    await stopped;
    await simulator.close();
  },
});

function replayOf(file: string, stderr: Output): TakeOver {
  const words = (why: string) => `--replay: ${why}`;
  const capture = orFail(() => readCapture(file), { exitCode: 2, kind: NotACapture, words });
  return createReplay(capture, (text) => stderr.write(`${text}\n`));
}

function optionArgs(): Record<string, ArgDef> {
  return Object.fromEntries(
    Object.entries(optionTable).map(([name, { hint, about, usual }]): [string, ArgDef] => {
      const use = common.has(flagOf(name)) ? "common" : "rare";
      if (hint === "") return [flagOf(name), flag(about, { use })];
      const value = String(usual);
      const alone = hint.startsWith("true|") && { alone: "true" };
      return [flagOf(name), option(hint, about, { use, ...alone, ...(value !== "" && { usual: value }) })];
    }),
  );
}

function scenarioFrom(path: string | undefined): Partial<SimulatorOptions> {
  if (path === undefined) return {};
  const words = (why: string) => `--scenario ${path} cannot be used: ${why}`;
  const content: unknown = orFail(() => JSON.parse(readFileSync(path, "utf8")), { exitCode: 2, words });
  return parsed(content, `--scenario ${path}: `);
}

function parsed(input: unknown, where: string): Partial<SimulatorOptions> {
  return orFail(() => parseOptions(input), { exitCode: 2, kind: InvalidOption, words: (why) => `${where}${why}` });
}
