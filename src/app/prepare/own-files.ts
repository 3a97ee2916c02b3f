import { join } from "node:path";
import { systemKeychain } from "../../auth/stores/keychain.js";
import { OwnStore } from "../../auth/stores/own-store.js";
import { cachePath, statePath } from "../../config/places.js";
import type { InnerSettings, Settings } from "../../config/settings.js";

const DAY_MS = 24 * 60 * 60_000;

export type StoreSettings = Pick<InnerSettings, "stateFolder" | "stateMaxBytes" | "stateMaxDays">;

/** Where Curlew's own credential is. */
export function ownStore({ home, credentialStore }: Settings): OwnStore {
  return new OwnStore({
    file: join(home, "credentials.json"),
    choice: credentialStore,
    platform: process.platform,
    openKeychain: systemKeychain,
  });
}

/** Where conversations are kept, how much of them, and for how long. */
export function storeOptions({ stateFolder, stateMaxBytes, stateMaxDays }: StoreSettings) {
  return { folder: stateFolder ?? "state", maxBytes: stateMaxBytes, maxAgeMs: stateMaxDays * DAY_MS, now: Date.now };
}

/** Where the ledger is, and where earlier versions kept the usage of each day. */
export function ledgerFolders({ places, stateFolder }: Pick<Settings, "places" | "stateFolder">) {
  return { folder: statePath(places, "ledger"), formerFolder: join(stateFolder ?? "state", "usage") };
}

/** Each backend has its own list of models. */
export function modelsFile({ places }: Pick<Settings, "places">, backend: string): string {
  return cachePath(places, backend === "agent" ? "models.json" : `models.${backend}.json`);
}

/** The named keys of clients. */
export function keysFile({ home }: Pick<Settings, "home">): string {
  return join(home, "keys.json");
}

/** The owner's limits. */
export function limitsFile({ home }: Pick<Settings, "home">): string {
  return join(home, "limits.json");
}

/** The secret that signs the sessions of the page. */
export function pageSecretFile({ places }: Pick<Settings, "places">): string {
  return statePath(places, "page.secret");
}

/** Where running gateways say how the owner's commands reach them. */
export function runFolder({ places }: Pick<Settings, "places">): string {
  return statePath(places, "run");
}
