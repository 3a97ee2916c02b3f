import type { Backend, BackendName } from "../../backends/backend.js";
import type { RoadName } from "../../config/settings.js";
import type { RoadParts } from "./road-parts.js";

export type OpenRoad = (parts: RoadParts) => Backend;

const roads: Readonly<Record<Exclude<RoadName, "agent">, () => Promise<OpenRoad>>> = {
  cli: async () => (await import("./cli.js")).openCli,
  sdk: async () => (await import("./sdk.js")).openSdk,
  chat: async () => (await import("./chat.js")).openChat,
};

/** The code of the roads that turns may take beside the agent's, and of no others: each brings libraries of its own. */
export async function loadRoads(names: readonly BackendName[]): Promise<ReadonlyMap<BackendName, OpenRoad>> {
  const others = names.filter((name) => name !== "agent" && name !== "scripted");
  return new Map(await Promise.all(others.map(async (name) => [name, await roads[name]()] as const)));
}
