/** Texts in the system's keychain, by name. Every call may throw, because a keychain can be missing or locked. */
export interface Keychain {
  get(name: string): string | undefined;
  set(name: string, text: string): void;
  remove(name: string): void;
}

const SERVICE = "curlew";

/** The keychain of this system; undefined where the optional library for it is not installed. */
export async function systemKeychain(): Promise<Keychain | undefined> {
  const library = await import("@napi-rs/keyring").catch(() => undefined);
  if (library === undefined) return undefined;
  // Without a secret service, Linux would use the kernel's keyring, which is empty after a restart.
  const entry = (name: string) => new library.Entry(SERVICE, name, { linux: { store: "secret-service" } });
  return {
    get: (name) => entry(name).getPassword() ?? undefined,
    set: (name, text) => entry(name).setPassword(text),
    remove: (name) => void entry(name).deletePassword(),
  };
}
