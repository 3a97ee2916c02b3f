/**
 * Every backend that reaches Cursor. A further one is its folder, a line here and its page of the guide: what the settings take, what
 * `auto` chooses, the banner, the doctor and the composition go by this table.
 */
export const registry = {
  agent: { open: () => import("./agent/index.js") },
  sdk: { open: () => import("./sdk/index.js"), ownLogin: () => import("./sdk/own-login.js"), title: "Cursor's SDK" },
  cli: {
    open: () => import("./cli/index.js"),
    ownLogin: () => import("./cli/own-login.js"),
    title: "Cursor's command-line tool",
  },
  chat: {
    open: () => import("./chat/index.js"),
    caveat: "Cursor has retired the old chat calls; they may end on any day.",
  },
} satisfies Record<string, RegistryEntry>;

interface RegistryEntry {
  /** Gives the function that makes it of `BackendParts`. Each brings libraries of its own, so only those that turns may go to are loaded. */
  readonly open: () => Promise<object>;
  /** For one whose login is not Curlew's; `auto` takes the first of them that is logged in where Curlew has no credential. */
  readonly ownLogin?: () => Promise<object>;
  /** For one that goes with no login at all: it starts where Curlew has no credential, and `auto` never takes it. */
  readonly needsNoCredential?: true;
  /** What the banner calls it where the host of Cursor's API says nothing about it. */
  readonly title?: string;
  /** What the doctor warns of whoever uses it. */
  readonly caveat?: string;
}

export type RegisteredBackend = keyof typeof registry;

export const registeredBackends = Object.keys(registry) as RegisteredBackend[];

/** Whether it goes without a credential of Curlew's, or of a request's in pass-through mode. */
export function goesWithoutCredential(
  name: string,
  entries: Readonly<Record<string, RegistryEntry>> = registry,
): boolean {
  const entry = entries[name];
  return entry?.ownLogin !== undefined || entry?.needsNoCredential === true;
}
