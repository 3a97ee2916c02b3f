import { systemClock } from "../clock.js";
import { isLoopback } from "../config/loopback.js";
import type { Settings } from "../config/settings.js";
import { createLog } from "../ops/log.js";
import { CommandFailure } from "./command-failure.js";
import { listen } from "./listen.js";
import { chooseRoad, type Road } from "./road.js";

/** How long the closing frames of cut answers get to reach their readers. */
const FLUSH_MS = 500;
const WARM_UP_MS = 30_000;

export interface RunningServer {
  readonly url: string;
  readonly road: Road;
  /** Lets running answers finish for the grace time, or until `hurry` aborts; what still runs then gets a clean error. */
  stop(hurry: AbortSignal): Promise<void>;
}

interface StartOptions {
  readonly orSimulate: boolean;
  /** Ask Cursor for the models at once, so that the first turn need not wait for the list. */
  readonly warmsUp: boolean;
}

/** The whole gateway behind an open port, for `serve` and for embedding. */
export async function startServer(settings: Settings, { orSimulate, warmsUp }: StartOptions): Promise<RunningServer> {
  refuseOpenDoor(settings);
  const road = chooseRoad(settings, { orSimulate });
  const { apiKey, authToken, key, graceMs } = settings;
  const log = createLog({ level: settings.logLevel, secrets: [apiKey, authToken, key] });
  // Settings that cannot work are told before the larger part of the program is loaded.
  const [{ composeGateway }, { createListener }] = await Promise.all([import("./compose.js"), import("../server.js")]);
  const composed = await composeGateway(settings, road, log);
  const { gateway, health, backend } = composed;
  const handle = createListener({ gateway, health, config: settings, log, clock: systemClock, backend });
  const listener = await listen(handle, settings).catch(async (failure: unknown) => {
    await composed.close();
    throw failure;
  });
  if (warmsUp) {
    gateway.models(AbortSignal.timeout(WARM_UP_MS)).catch((err: unknown) => {
      log.warn({ err }, "the model list could not be read");
    });
  }
  return {
    url: listener.url,
    road,
    async stop(hurry) {
      const done = new AbortController();
      const drained = listener.drain().then(() => done.abort());
      await systemClock.sleep(graceMs, AbortSignal.any([done.signal, hurry]));
      await composed.close();
      await systemClock.sleep(FLUSH_MS, done.signal);
      listener.drop();
      await drained;
    },
  };
}

function refuseOpenDoor({ host, key }: Settings): void {
  if (isLoopback(host) || key !== undefined) return;
  throw new CommandFailure(
    2,
    `${host} can be reached by others, who could spend your subscription. Set a key that clients must show: ` +
      "CURLEW_KEY (16 characters or more) or --key-file.",
  );
}
