import type { RequestListener } from "node:http";
import { isLoopback } from "@curlew/gateway/network/loopback.js";
import { systemClock } from "@curlew/gateway/system/clock.js";
import { listen as listenTo } from "@curlew/gateway/turn/events/channels.js";
import { readKeys } from "@curlew/meter/keys/index.js";
import { linkTo, openPageDoor } from "@curlew/page/access/index.js";
import { constants } from "../../config/constants.js";
import type { LoadedSettings } from "../../config/load.js";
import type { Settings } from "../../config/settings.js";
import { announce, newControlToken } from "../../control/running-gateways.js";
import type { ComposedGateway, ComposeOptions } from "../compose.js";
import { type ChosenBackend, chooseBackend } from "../prepare/choose-backend.js";
import { keysFile, pageSecretFile, runFolder } from "../prepare/own-files.js";
import { StartError } from "../prepare/start-error.js";
import { withOrigins } from "../prepare/with-origins.js";
import type { PageParts } from "../server.js";
import { listen } from "./listen.js";

/** How long the closing frames of cut answers get to reach their readers. */
const FLUSH_MS = 500;
/** Delays lazy loading in favour of the first requests. */
const LOAD_REST_MS = 1_000;

export type RunningServer = Awaited<ReturnType<typeof openServer>>;

type Assembled = ComposedGateway & { readonly handle: RequestListener };

export interface StartOptions extends ComposeOptions {
  readonly orSimulate?: boolean;
  readonly warnings?: readonly string[];
  /** How messages name the values that were set. */
  readonly named?: LoadedSettings["named"];
}

/** Starts the gateway and opens its port, for `serve` and for embedding. @throws {StartError} */
export async function startServer(settings: Settings, options: StartOptions): Promise<RunningServer> {
  try {
    return await openServer(settings, options);
  } catch (thrown) {
    throw withOrigins(thrown, options.named ?? {});
  }
}

async function openServer(settings: Settings, options: StartOptions) {
  refuseOpenDoor(settings);
  const chosen = await chooseBackend(settings, options);
  const closing = new AbortController();
  const controlToken = newControlToken();
  /** Logs once the gateway is loaded, because there is no log before. */
  const warn = (fields: object, message: string) => {
    assembled().then(
      ({ log }) => log.warn(fields, message),
      () => {},
    );
  };
  const door = openPageDoor({
    path: pageSecretFile(settings),
    key: settings.key,
    clock: systemClock,
    onProblem: (err) => warn({ err }, "the page secret cannot be stored: the page closes when the gateway stops"),
  });
  const newPageLink = () => linkTo(listener.url, door.links.make());
  let assembling: Promise<Assembled> | undefined;
  const assembled = () => {
    const page = { door, newLink: newPageLink };
    assembling ??= assemble(settings, chosen, options, { closing: closing.signal, controlToken, page });
    return assembling;
  };
  const { graceMs } = { ...constants, ...options.constants };
  const listener = await listen(
    lateListener(async () => (await assembled()).handle),
    settings,
    { onTls: () => warn({}, `a client spoke TLS (https) to this port; use ${listener.url}`) },
  ).catch(async (thrown) => {
    const { alreadyRunning } = await import("./already-running.js");
    throw (await alreadyRunning(thrown, settings)) ?? thrown;
  });
  const ready = assembled();
  let withdraw = () => {};
  try {
    const started = new Date().toISOString();
    withdraw = announce(runFolder(settings), { pid: process.pid, url: listener.url, started, token: controlToken });
  } catch (err) {
    warn({ err }, "commands such as stop cannot reach this gateway"); // it can serve without them
  }
  return {
    url: listener.url,
    chosen,
    /** Whether there were named keys (`curlew keys`) at startup. */
    hasNamedKeys: hasNamedKeys(settings),
    /** Resolves when the gateway is loaded. The port opens earlier; requests wait until then. */
    ready,
    /** A new link that opens the page once. It is a secret. */
    newPageLink,
    /** Lets answers finish within the grace time, or until `hurry` aborts; the rest get an error. `onDraining` gets the count. */
    async stop(hurry: AbortSignal, onDraining: (answers: number) => void = () => {}): Promise<void> {
      closing.abort();
      const done = new AbortController();
      const counting = assembled().then(
        (composed) => countOpen(composed, onDraining),
        () => () => {},
      );
      const drained = listener.drain().then(() => done.abort());
      await systemClock.sleep(graceMs, AbortSignal.any([done.signal, hurry]));
      (await counting)();
      const composed = await assembled().catch(() => undefined);
      await composed?.close();
      await systemClock.sleep(FLUSH_MS, done.signal);
      listener.drop();
      await drained;
      withdraw();
    },
  };
}

/** Reports the number of open requests, now and whenever one ends. Returns the function that unsubscribes. */
function countOpen({ gatewayId, metrics }: ComposedGateway, tell: (answers: number) => void): () => void {
  let last: number | undefined;
  const count = () => {
    if (metrics.openRequests === last) return;
    last = metrics.openRequests;
    tell(last);
  };
  count();
  return listenTo(gatewayId, { "curlew:request:finished": count, "curlew:request:failed": count }, () => {});
}

/** Queues early requests until the listener is loaded; later ones are plain calls. If loading fails, drops the connections. */
export function lateListener(load: () => Promise<RequestListener>): RequestListener {
  let listener: RequestListener = (request, response) => {
    load().then(
      (loaded) => {
        listener = loaded;
        loaded(request, response);
      },
      () => response.destroy(),
    );
  };
  return (request, response) => listener(request, response);
}

async function assemble(
  settings: Settings,
  chosen: ChosenBackend,
  options: StartOptions,
  parts: { closing: AbortSignal; controlToken: string; page: Pick<PageParts, "door" | "newLink"> },
): Promise<Assembled> {
  const [{ composeGateway }, { createListener }] = await Promise.all([import("../compose.js"), import("../server.js")]);
  const composed = await composeGateway(settings, chosen, options);
  const { log } = composed;
  void composed.checkLogin(); // so that the first health check has a result
  // Shown as a backend of its own, although the agent backend runs it.
  const backend = composed.backend === "simulator" ? composed.backend : undefined;
  for (const warning of options.warnings ?? []) log.warn({ warning }, "settings");
  const config = { ...settings, ...constants, ...options.constants };
  const clock = systemClock;
  const handle = createListener({
    ...composed,
    ...parts,
    config,
    page: {
      ...parts.page,
      isSimulated: backend === "simulator",
      api: (server) => composed.pageApi(server, parts.closing),
    },
    clock,
    backend,
  });
  clock.after(LOAD_REST_MS, () => {
    composed.loadRest().then(
      () => log.debug({}, "everything is loaded"),
      (err) => log.warn({ err }, "some modules could not be loaded: restart Curlew if it was updated"),
    );
  });
  return { ...composed, handle };
}

/** If there is a keys file, clients need a key, even if all keys are revoked or the file is broken. */
export function hasNamedKeys({ home }: Pick<Settings, "home">): boolean {
  try {
    return readKeys(keysFile({ home })) !== undefined;
  } catch {
    return true;
  }
}

/** @throws {StartError} `key_missing`, if others can reach the address and clients need no key. */
export function refuseOpenDoor({ host, allowedHosts, key, home }: Settings): void {
  const [proxied] = allowedHosts;
  const reached = isLoopback(host) ? proxied && `allowedHosts has ${proxied}, so this gateway` : host;
  if (reached === undefined || key !== undefined || hasNamedKeys({ home })) return;
  const why = `${reached} can be reached by others, who could spend your subscription.`;
  const how = "curlew keys add NAME makes one; or set CURLEW_KEY (16 characters or more) or --key-file.";
  const settings = [isLoopback(host) ? "allowedHosts" : "host"];
  throw new StartError("key_missing", `${why} Set a key that clients must show: ${how}`, { settings });
}
