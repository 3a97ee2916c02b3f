import { createAgent } from "./agent/index.js";
import { createLogins } from "./auth/logins.js";
import { createTokens, type Tokens } from "./auth/tokens.js";
import { createLegacy } from "./legacy/index.js";
import { createRest } from "./rest/index.js";
import { createAgentUsage } from "./server/agent-usage.js";
import { findFamily } from "./server/catalogue.js";
import { control, isControl } from "./server/control.js";
import type { Controls, Simulator, SimulatorStart } from "./server/controls.js";
import { listen } from "./server/listener.js";
import { maskHeaders, maskPath, maskValue } from "./server/mask.js";
import { headersOf, type SimRequest, type SimResponse } from "./server/node-http.js";
import { defaultOptions, parseOptions, type SimulatorOptions } from "./server/options.js";
import { emptyStats } from "./server/stats.js";
import type { JournalEntry, World } from "./server/world.js";
import { createServices } from "./services/index.js";

/** Gets every call before the simulator does. Returns true for those that it answers itself. */
export type TakeOver = (request: SimRequest, response: SimResponse) => boolean;

/** The context size of models that are not listed. */
const CONTEXT_TOKENS = 200_000;
/** Entries of the journal. */
const KEPT = 500;

/** Starts a simulator of Cursor's servers, on a port of its own. */
export async function startSimulator({
  port = 0,
  host = "127.0.0.1",
  onClientMessage,
  onTurnEnded,
  takeOver,
  ...given
}: SimulatorStart & { takeOver?: TakeOver | undefined } = {}): Promise<Simulator> {
  const journal = createJournal();
  const tokens = createTokens(Date.now);
  const conversations = new Set<string>();
  const world = createWorld({ ...defaultOptions, ...parseOptions(given) }, journal, tokens, conversations);
  world.onClientMessage = onClientMessage;
  world.onTurnEnded = onTurnEnded;
  const agent = createAgent(world);
  const legacy = createLegacy(world);
  const services = createServices(world);
  const rest = createRest(world, tokens, createLogins(world.options));

  const onRequest = (request: SimRequest, response: SimResponse) => {
    if (isControl(request)) return void control(request, response, controls);
    if (takeOver?.(request, response)) return;
    if (agent.handle(request, response)) return; // it keeps its own journal entries, which grow during a run
    const entry = openEntry(request);
    world.record(entry);
    if (legacy.handle(request, response, entry) || services.handle(request, response, entry)) return;
    void rest.handle(request, response, entry);
  };

  const onSession = () => {
    world.stats.sessions++;
  };
  const listener = await listen({ port, host, limits: world.options, onRequest, onSession });

  const controls: Controls = {
    options: () => ({ ...world.options }),
    configure(changes) {
      const parsed = parseOptions(changes);
      Object.assign(world.options, parsed);
      if ("maxStreams" in parsed || "window" in parsed) listener.applySettings(world.options);
    },
    stats: () => ({ ...world.stats }),
    reset() {
      journal.clear();
      conversations.clear();
      Object.assign(world.stats, { ...emptyStats(), runsOpen: world.stats.runsOpen });
    },
    requests: journal.last,
  };
  return {
    ...controls,
    url: listener.url,
    async close() {
      agent.close();
      await turnOfTheLoop(); // lets its last bytes be written
      await listener.close();
    },
  };
}

function createWorld(options: SimulatorOptions, journal: Journal, tokens: Tokens, conversations: Set<string>): World {
  const world: World = {
    options,
    stats: emptyStats(),
    record: journal.record,
    noteConversation(id) {
      conversations.add(id);
      world.stats.conversations = conversations.size;
    },
    checkToken: tokens.check,
    agentUsage: createAgentUsage(),
    isKnownModel: (id) => findFamily(id) !== undefined,
    contextTokens: (id) => findFamily(id)?.contextTokens ?? CONTEXT_TOKENS,
  };
  return world;
}

const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

function openEntry(request: SimRequest): JournalEntry {
  return { path: request.url ?? "/", httpVersion: request.httpVersion, headers: headersOf(request), messages: [] };
}

interface Journal {
  record(entry: JournalEntry): void;
  /** The newest entries, oldest first, with every secret masked. */
  last(count: number): JournalEntry[];
  clear(): void;
}

export function createJournal(): Journal {
  let entries: JournalEntry[] = [];
  return {
    record(entry) {
      entries.push(entry);
      // Dropping half at once keeps the cost of a request constant.
      if (entries.length >= 2 * KEPT) entries = entries.slice(-KEPT);
    },
    last: (count) => (count === 0 ? [] : entries.slice(-KEPT).slice(-count).map(shown)),
    clear() {
      entries = [];
    },
  };
}

function shown({ path, httpVersion, headers, messages }: JournalEntry): JournalEntry {
  return {
    path: maskPath(path),
    httpVersion,
    headers: maskHeaders(headers),
    messages: messages.map((message) => maskValue(typeof message === "function" ? message() : message)),
  };
}
