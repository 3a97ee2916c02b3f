import { join } from "node:path";
import { OwnStore, systemKeychain } from "@curlew/gateway/account/stores/own-store.js";
import { statePath } from "../../config/places.js";
import type { InnerSettings, Settings } from "../../config/settings.js";

const DAY_MS = 24 * 60 * 60_000;

export type StoreSettings = Pick<InnerSettings, "stateFolder" | "stateMaxBytes" | "stateMaxDays">;

export function ownStore({ home, credentialStore, machine }: Settings): OwnStore {
  return new OwnStore({
    file: join(home, "credentials.json"),
    choice: credentialStore,
    platform: machine.platform,
    openKeychain: systemKeychain,
  });
}

/** The command that fixes a failing login. A variable overrides the stored credential, so it must be unset. */
export function signInAgain({ apiKey, authToken }: Pick<Settings, "apiKey" | "authToken">): string {
  const variable = apiKey !== undefined ? "CURSOR_API_KEY" : authToken !== undefined ? "CURSOR_AUTH_TOKEN" : undefined;
  return variable === undefined ? "curlew login" : `unset ${variable} && curlew login`;
}

export function storeOptions({ stateFolder, stateMaxBytes, stateMaxDays }: StoreSettings) {
  return { folder: stateFolder ?? "state", maxBytes: stateMaxBytes, maxAgeMs: stateMaxDays * DAY_MS, now: Date.now };
}

export function ledgerFolder({ places }: Pick<Settings, "places">): string {
  return statePath(places, "ledger");
}

export function modelsFile({ places }: Pick<Settings, "places">, backend: string): string {
  return join(places.cache, backend === "agent" ? "models.json" : `models.${backend}.json`);
}

export function keysFile({ home }: Pick<Settings, "home">): string {
  return join(home, "keys.json");
}

export function limitsFile({ home }: Pick<Settings, "home">): string {
  return join(home, "limits.json");
}

export function pageSecretFile({ places }: Pick<Settings, "places">): string {
  return statePath(places, "page.secret");
}

/** Where running gateways announce how the owner's commands reach them. */
export function runFolder({ places }: Pick<Settings, "places">): string {
  return statePath(places, "run");
}
