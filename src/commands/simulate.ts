import { readFileSync } from "node:fs";
import {
  createReplay,
  defaultOptions,
  InvalidOption,
  NotACapture,
  parseOptions,
  readCapture,
  type SimulatorOptions,
  startSimulator,
  type TakeOver,
} from "../../simulator/index.js";
import { listenFailure } from "../app/start/listen.js";
import { orFail } from "../terminal/print.js";
import { type ArgDef, defineCommand, type Given, option, wholeNumber } from "./line/definition.js";
import { stopSignal } from "./line/stop-signal.js";

const HOST = "127.0.0.1";

/** The flag of each option. The compiler asks for a line when the simulator gets a new option. */
const meanings: { readonly [Name in keyof SimulatorOptions]: readonly [flag: string, hint: string, about: string] } = {
  strict: ["strict", "", "Refuse what only clients other than Cursor's own send"],
  transport: ["transport", "h2|h1", "Transport that its server config advises; h1 refuses Run"],
  bootstrapMs: ["bootstrap-ms", "ms", "Silence before the first event of a run"],
  heartbeatMs: ["heartbeat-ms", "ms", "Pause between two heartbeats of a run"],
  deltaMs: ["delta-ms", "ms", "Pause between two deltas; 0 = as fast as the reader allows"],
  maxStreams: ["max-streams", "n", "HTTP/2 streams at once on a connection; 0 = no limit of ours"],
  window: ["window", "bytes", "HTTP/2 window of a stream; 0 = Node's own"],
  gzip: ["gzip", "", "Compress every frame"],
  drift: ["drift", "", "Add unknown fields and unknown requests, as from a newer server"],
  emptyResumes: ["empty-resumes", "", "Answer nothing to a run that is started without a message of the user"],
  staleTools: ["stale-tools", "", "Offer the model the tools of a conversation's first run in all its runs"],
  forgetBlobs: ["forget-blobs", "", "Ask for every blob of the conversation again in each run"],
  sharedBlobs: ["shared-blobs", "", "Remember blobs for all conversations together, not for each by itself"],
  blobReferences: ["blob-references", "", "Name blobs that the client has already once more, by their ids alone"],
  approvals: ["approvals", "", "Ask for each call of the client's tools first whether it may be made"],
  modelIds: ["model-ids", "any|parameters|slug|base", "The only shape of model names that it takes"],
  modelIdError: ["model-id-error", "not-found|resource-exhausted", "The bare error for a name in another shape"],
  refuseCombinators: ["refuse-combinators", "", "Refuse anyOf, oneOf and allOf in tool schemas on Fable models"],
  refuseReusedIds: ["refuse-reused-ids", "", "Refuse conversation ids after a call that was never answered"],
  turnEnd: [
    "turn-end",
    "closed|open|open-bare|goaway",
    "Whether the stream ends behind a turn; bare = no checkpoint there either; goaway = the connection ends",
  ],
  missingBlob: ["missing-blob", "named|internal|failed-precondition|blank", "What becomes of a run that lacks a blob"],
  lostBlobs: ["lost-blobs", "", "Name a blob in every checkpoint that the client was never given"],
  nativeResumes: ["native-resumes", "", "Use Cursor's own tools first in a run without a message of the user"],
  region: ["region", "served|silent|refused", "Whether accounts are served here; silent = the stream ends at once"],
  maxInlineBytes: ["max-inline-bytes", "bytes", "Reset a run with more history in the request itself; 0 = no limit"],
  tokenFloor: ["token-floor", "tokens", "Cursor's own part of every prompt; seen: 20152 (CLI), 46946 (SDK)"],
  dynamicTools: ["dynamic-tools", "", "Withhold descriptions and schemas of the client's tools from the model"],
  steering: ["steering", "ignored|delivered|rejected", "What becomes of words that a client sends during a run"],
  tokenTtlSeconds: ["token-ttl", "seconds", "Life of the tokens that an API key is exchanged for"],
  sessionTtlSeconds: ["session-ttl", "seconds", "Life of the tokens of a browser login"],
  login: ["login", "approve|deny|wait|error|error-N|no-post|half", "What comes of a browser login"],
  exchange: ["exchange", "ok|refuse|fail-N", "What comes of an API key; fail-N = the next N answer 500"],
  refresh: ["refresh", "ok|refuse|fail-N", "What comes of renewing a session; fail-N = the next N answer 500"],
  mint: ["mint", "ok|refuse", "What comes of making an API key from a session"],
  legacy: ["legacy", "working|retired|hanging", "How the old chat calls behave"],
  checksum: ["checksum", "lax|strict", "Which checksum layouts the old chat calls take"],
  usage: ["usage", "full|free|no-plan|unlimited|on-demand|strings", "Shape of the usage report"],
  patienceMs: ["patience-ms", "ms", "How long it waits for an answer that the protocol demands"],
  deniedVersions: ["denied-versions", "a,b", "Client versions that must update"],
  privacyMode: ["privacy-mode", "0..4", "Privacy mode of the account"],
  fallback: ["fallback", "", "Announce the simulation in every answer that no directive drives, and call no tool"],
};

/** What people who try a client need; the others are for tests of gateways. */
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
  async run({ args }) {
    const port = wholeNumber("--port", args.port, 0, 65_535);
    const given: Given = args;
    const flags = Object.values(meanings).map(([flag]) => [flag, given[flag]]);
    const options = { ...scenarioFrom(args.scenario), ...parsed(Object.fromEntries(flags), "") };
    const takeOver = args.replay === undefined ? undefined : replayOf(args.replay);
    const simulator = await startSimulator({ host: HOST, port, takeOver, ...options }).catch((thrown: unknown) => {
      throw listenFailure(thrown, HOST, port);
    });
    process.stdout.write(`${simulator.url}\n`);
    process.stderr.write(
      `A simulated Cursor, for Curlew and other clients: CURSOR_BACKEND_URL=${simulator.url} CURSOR_API_KEY=crsr_anything\n`,
    );
    await stopSignal();
    await simulator.close();
  },
});

function replayOf(file: string): TakeOver {
  const capture = orFail(() => readCapture(file), {
    exitCode: 2,
    kind: NotACapture,
    words: (why) => `--replay: ${why}`,
  });
  return createReplay(capture, (text) => process.stderr.write(`${text}\n`));
}

function optionArgs(): Record<string, ArgDef> {
  return Object.fromEntries(
    Object.entries(meanings).map(([name, [flag, valueHint, about]]): [string, ArgDef] => {
      const use = common.has(flag) ? "common" : "rare";
      if (valueHint === "") return [flag, { type: "boolean", description: about, use }];
      const usual = String(defaultOptions[name as keyof SimulatorOptions]);
      return [flag, option(valueHint, about, usual === "" ? { use } : { use, usual })];
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
