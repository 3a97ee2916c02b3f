import { join } from "node:path";
import { systemKeychain } from "../../auth/stores/keychain.js";
import { OwnStore } from "../../auth/stores/own-store.js";
import type { Settings } from "../../config/settings.js";

/** Where Curlew's own credential is, by the settings. */
export function ownStore({ credentialsFile, credentialStore }: Settings): OwnStore {
  return new OwnStore({
    file: credentialsFile ?? "credentials.json",
    choice: credentialStore,
    platform: process.platform,
    openKeychain: systemKeychain,
  });
}

/** What went through Curlew is written down beside the conversations. */
export function usageFolder({ stateFolder }: Pick<Settings, "stateFolder">): string {
  return join(stateFolder ?? "state", "usage");
}

/** Each backend has models of its own. */
export function modelsFile({ modelsFile = "models.json" }: Settings, backend: string): string {
  return backend === "agent" ? modelsFile : modelsFile.replace(/(\.json)?$/, `.${backend}$1`);
}
