import type { Credential } from "../../auth/credential.js";
import { officialBackends, type RegisteredBackend, registeredBackends, registry } from "../../backends/registry.js";
import { systemClock } from "../../clock.js";
import { thisMachine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";
import { StartError } from "./start-error.js";

/** @throws {StartError} `backend_unsuitable`, if the settings name a backend, or ask for something, that careful conduct excludes. */
export function refuseUnofficial({ conduct, backend, routes, fallback, passThrough }: Settings): void {
  if (conduct !== "careful") return;
  if (passThrough) {
    const text =
      "Careful conduct is for one account, with Cursor's own programs alone, which take no credentials of requests.";
    throw new StartError("backend_unsuitable", `${text} Set passThrough to false, or conduct to usual.`, {
      settings: ["passThrough", "conduct"],
    });
  }
  const allowed: ReadonlySet<string> = new Set(["auto", "simulator", ...officialBackends]);
  const named = [
    ["backend", backend] as const,
    ...Object.values(routes).map((each) => ["routes", each] as const),
    ...fallback.map((each) => ["fallback", each] as const),
  ];
  const [wrong] = named.filter(([, name]) => !allowed.has(name));
  if (wrong === undefined) return;
  const [setting, name] = wrong;
  throw new StartError(
    "backend_unsuitable",
    `Careful conduct uses Cursor's own programs alone, and the setting ${setting} names the ${name} backend. ` +
      `Name ${officialBackends.join(" or ")} there, or set conduct to usual.`,
    { settings: [setting, "conduct"] },
  );
}

/**
 * The first of Cursor's own programs that is installed and has a login, or else why there is none, each reason with its remedy.
 * Only Cursor can judge a key, so a key counts as a login.
 */
export async function firstOfficial(
  settings: Settings,
  credential: Credential | undefined,
): Promise<RegisteredBackend | readonly string[]> {
  const parts = { settings, machine: thisMachine(), clock: systemClock };
  const problems: string[] = [];
  for (const name of registeredBackends) {
    const entry = registry[name];
    if (!("isOfficial" in entry)) continue;
    const { isLoggedIn, report } = await entry.ownLogin();
    const found = await report(parts);
    if (!found.isUsable) {
      const why = found.why instanceof Error ? found.why.message : String(found.why);
      problems.push(`${name}: ${why} Run: ${found.fix}`);
      continue;
    }
    // The CLI has been asked for its login; the SDK tells nobody before it is used.
    if (name !== "sdk" || credential?.kind === "api-key" || (await isLoggedIn(parts))) return name;
    problems.push(`${name}: Cursor's SDK is not logged in. Set CURSOR_API_KEY to a key of your account.`);
  }
  return problems;
}
