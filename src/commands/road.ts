import type { FoundCredential } from "../auth/credential.js";
import { findCredential } from "../auth/find-credential.js";
import { isLoopback } from "../config/loopback.js";
import type { Settings } from "../config/settings.js";
import { CommandFailure } from "./command-failure.js";
import { ownStore } from "./own-store.js";

/** Which way turns go, decided once at the start. */
export type Road =
  | { readonly backend: "agent"; readonly credential: FoundCredential }
  /** `isFallback`: nobody asked for it; it stands in because there is no credential on the machine. */
  | { readonly backend: "simulator"; readonly isFallback: boolean };

export async function chooseRoad(settings: Settings, { orSimulate }: { orSimulate: boolean }): Promise<Road> {
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
    case "agent": {
      const credential = await findCredential({ ...settings, store: ownStore(settings) });
      // One that cannot be used is told with every request: a simulated Cursor would only hide it.
      if (credential !== undefined) return { backend: "agent", credential };
      if (settings.passThrough) return { backend: "agent", credential: noneOfItsOwn };
      if (settings.backend === "auto" && orSimulate) return fallBack(settings);
      throw new CommandFailure(
        1,
        "No Cursor credential was found. Run curlew login, or set CURSOR_API_KEY to a key of your account,\n" +
          "or try without an account: --backend simulator",
      );
    }
  }
}

/** In pass-through mode requests bring theirs. */
const noneOfItsOwn: FoundCredential = {
  credential: { kind: "unusable", why: "This request brings no credential of Cursor, and the gateway has none." },
  from: "nowhere",
  fix: "Send your own Cursor API key as the bearer, or run curlew login where the gateway runs.",
};

function fallBack({ host }: Settings): Road {
  if (isLoopback(host)) return { backend: "simulator", isFallback: true };
  throw new CommandFailure(
    1,
    `No Cursor credential was found, and a simulated Cursor never stands in on a public address (${host}). ` +
      "Run curlew login, or set CURSOR_API_KEY.",
  );
}
