/**
 * Every backend that reaches Cursor. A further one is its folder, a line here and its page of the guide: what the settings take, what
 * `auto` chooses, the banner, the doctor and the composition go by this table.
 *
 * - `open` gives the function that makes it of `BackendParts`. Each brings libraries of its own, so only those that turns may go to
 *   are loaded.
 * - `ownLogin` is for one whose login is not Curlew's; `auto` takes the first of them that is logged in where Curlew has no credential.
 * - `title` is what the banner calls it where the host of Cursor's API says nothing about it.
 * - `caveat` is what the doctor warns of whoever uses it.
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
};

export type RegisteredBackend = keyof typeof registry;

export const registeredBackends = Object.keys(registry) as RegisteredBackend[];

/** Whether it goes with a login that Curlew has no part in. */
export function hasOwnLogin(name: string): boolean {
  return registeredBackends.some((each) => each === name && "ownLogin" in registry[each]);
}
