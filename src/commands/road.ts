import { isLoopback } from "../config/loopback.js";
import type { Settings } from "../config/settings.js";
import { CommandFailure } from "./command-failure.js";

/** Which way turns go, decided once at the start. */
export type Road =
  | { readonly backend: "agent" }
  /** `isFallback`: nobody asked for it; it stands in because there is no credential on the machine. */
  | { readonly backend: "simulator"; readonly isFallback: boolean };

export function chooseRoad(settings: Settings, { orSimulate }: { orSimulate: boolean }): Road {
  switch (settings.backend) {
    case "simulator":
      return { backend: "simulator", isFallback: false };
    case "cli":
    case "sdk":
    case "chat":
      throw new CommandFailure(
        2,
        `The backend ${settings.backend} does not exist yet. There are: auto, agent and simulator.`,
      );
    case "auto":
    case "agent":
      if (settings.apiKey !== undefined || settings.authToken !== undefined) return { backend: "agent" };
      if (settings.backend === "auto" && orSimulate) return fallBack(settings);
      throw new CommandFailure(
        1,
        "No Cursor credential was found. Make a user API key in Cursor's dashboard and set CURSOR_API_KEY,\n" +
          "or try without an account: --backend simulator",
      );
  }
}

function fallBack({ host }: Settings): Road {
  if (isLoopback(host)) return { backend: "simulator", isFallback: true };
  throw new CommandFailure(
    1,
    `No Cursor credential was found, and a simulated Cursor never stands in on a public address (${host}). ` +
      "Set CURSOR_API_KEY.",
  );
}
