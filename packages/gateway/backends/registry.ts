/** Every backend, with what the settings, the banner, the doctor and the composition know of it. CONTRIBUTING.md says what else one needs. */
export const registry = {
  agent: { open: () => import("./agent/index.js") },
  sdk: {
    open: () => import("./sdk/index.js"),
    ownLogin: () => import("./sdk/own-login.js"),
    title: "Cursor's SDK",
    isOfficial: true,
  },
  cli: {
    open: () => import("./cli/index.js"),
    ownLogin: () => import("./cli/own-login.js"),
    title: "Cursor's command-line tool",
    isOfficial: true,
  },
  chat: {
    open: () => import("./chat/index.js"),
    caveat: "Cursor has retired the old chat calls; they may stop working any day.",
  },
} satisfies Record<string, RegistryEntry>;

interface RegistryEntry {
  /** Loads the function that makes the backend. Backends bring libraries of their own, so only those in use are loaded. */
  readonly open: () => Promise<object>;
  /** For a login that is not Curlew's. Where Curlew has no credential, `auto` takes the first of these that is logged in. */
  readonly ownLogin?: () => Promise<object>;
  /** Its name in the banner, where the host of Cursor's API says nothing about it. */
  readonly title?: string;
  /** For a program of Cursor's own. Careful conduct allows no others; of these, its `auto` takes the first that can be used. */
  readonly isOfficial?: true;
  readonly caveat?: string;
}

export type RegisteredBackend = keyof typeof registry;

export const registeredBackends = Object.keys(registry) as RegisteredBackend[];

export const officialBackends = registeredBackends.filter((name) => "isOfficial" in registry[name]);

/** The values of the setting `backend`: whichever fits the login, one of the backends, or the built-in simulator. */
export const backendChoices = ["auto", ...registeredBackends, "simulator"] as const;

/** Whether the backend needs no credential of Curlew's, nor one of a request's in pass-through mode. */
export function goesWithoutCredential(name: string): boolean {
  const entries: Readonly<Record<string, RegistryEntry>> = registry;
  return entries[name]?.ownLogin !== undefined;
}
