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
