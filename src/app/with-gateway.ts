import type { Settings } from "../config/settings.js";
import type { ComposedGateway } from "./compose.js";
import { chooseRoad } from "./prepare/road.js";

/** Runs something on a gateway of its own in this process, without opening a port. */
export async function withGateway<Result>(
  settings: Settings,
  use: (composed: ComposedGateway) => Promise<Result>,
): Promise<Result> {
  const road = await chooseRoad(settings, { orSimulate: false });
  // Settings that cannot work are told before the larger part of the program is loaded.
  const { composeGateway } = await import("./compose.js");
  const composed = await composeGateway(settings, road);
  try {
    return await use(composed);
  } finally {
    await composed.close();
  }
}
