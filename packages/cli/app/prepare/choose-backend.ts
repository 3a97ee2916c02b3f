import type { FoundCredential } from "@curlew/gateway/account/credential.js";
import { findCredential } from "@curlew/gateway/account/find-credential.js";
import {
  goesWithoutCredential,
  officialBackends,
  type RegisteredBackend,
  registeredBackends,
  registry,
} from "@curlew/gateway/backends/registry.js";
import { isLoopback } from "@curlew/gateway/network/loopback.js";
import { systemClock } from "@curlew/gateway/system/clock.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import type { Settings } from "../../config/settings.js";
import { ownStore } from "./own-files.js";
import { StartError } from "./start-error.js";

/** The backend of turns without a route, decided once at startup. */
export type ChosenBackend =
  | { readonly backend: RegisteredBackend; readonly credential: FoundCredential }
  /** `isFallback`: not requested, but used because the machine has no credential. */
  | { readonly backend: "simulator"; readonly isFallback: boolean };

/** @throws {StartError} `credential_missing` or `backend_unsuitable`: the gateway could not serve turns. */
export async function chooseBackend(settings: Settings, { orSimulate = false } = {}): Promise<ChosenBackend> {
  refuseUnofficial(settings);
  refuseOthersPassedThrough(settings);
  if (settings.backend === "simulator") return { backend: "simulator", isFallback: false };
  const credential = await findCredential({ ...settings, store: ownStore(settings) });
  const isAuto = settings.backend === "auto";
  if (isAuto && settings.conduct === "careful") return chooseOfficial(settings, credential, orSimulate);
  const backend = settings.backend === "auto" ? "agent" : settings.backend;
  // An unusable credential fails every request visibly; a simulated Cursor would hide it.
  if (credential !== undefined) return { backend, credential };
  if (goesWithoutCredential(backend)) return { backend, credential: ownLoginOnly };
  if (settings.passThrough) return { backend, credential: noneOfItsOwn };
  const loggedIn = isAuto ? await firstLoggedIn(settings) : undefined;
  if (loggedIn !== undefined) return { backend: loggedIn, credential: ownLoginOnly };
  if (isAuto && orSimulate) return fallBack(settings);
  const how = "Run curlew login, or set CURSOR_API_KEY to a key of your account,";
  const text = `No Cursor credential was found. ${how} or try without an account: --backend simulator`;
  throw new StartError("credential_missing", text, { settings: ["backend"] });
}

/** The first of Cursor's programs with a login. An API key counts as one: only Cursor can check it. */
async function chooseOfficial(
  settings: Settings,
  credential: FoundCredential | undefined,
  orSimulate: boolean,
): Promise<ChosenBackend> {
  const parts = { settings, machine: settings.machine, clock: systemClock };
  const hasKey = credential?.credential.kind === "api-key";
  const problems = ["Careful conduct allows only Cursor's own programs, and none of them is usable:"];
  for (const name of registeredBackends) {
    const entry = registry[name];
    if (!("isOfficial" in entry)) continue;
    const { isLoggedIn, report } = await entry.ownLogin();
    const found = await report(parts);
    if (!found.isUsable) problems.push(`  ${name}: ${reasonOf(found.why)} Run: ${found.fix}`);
    // The CLI's report covers its login; the SDK does not report its login before it is used.
    else if (name === "sdk" && !hasKey && !(await isLoggedIn(parts)))
      problems.push(`  ${name}: Cursor's SDK is not logged in. Set CURSOR_API_KEY to a key of your account.`);
    else return { backend: name, credential: credential ?? ownLoginOnly };
  }
  if (credential === undefined && orSimulate) return fallBack(settings);
  throw new StartError("backend_unsuitable", problems.join("\n"), { settings: ["conduct"] });
}

async function firstLoggedIn(settings: Settings): Promise<RegisteredBackend | undefined> {
  const parts = { settings, machine: settings.machine, clock: systemClock };
  for (const name of registeredBackends) {
    const entry = registry[name];
    if ("ownLogin" in entry && (await (await entry.ownLogin()).isLoggedIn(parts))) return name;
  }
  return undefined;
}

/** In pass-through mode, requests bring their own credential. */
const noneOfItsOwn: FoundCredential = {
  credential: { kind: "unusable", why: "This request has no Cursor credential, and neither has the gateway." },
  from: "nowhere",
  fix: "Send your own Cursor API key as the bearer, or run curlew login where the gateway runs.",
};

const ownLoginOnly: FoundCredential = {
  credential: { kind: "unusable", why: "Curlew has no Cursor credential of its own." },
  from: "nowhere",
  fix: "Run curlew login, or set CURSOR_API_KEY.",
};

/** Only backends that call Cursor themselves can use a request's credential. @throws {StartError} `backend_unsuitable` */
function refuseOthersPassedThrough({ passThrough, backend, routes, fallback }: Settings): void {
  if (!passThrough) return;
  const others = [backend, ...Object.values(routes), ...fallback].filter(
    (each) => each === "simulator" || goesWithoutCredential(each),
  );
  if (others.length === 0) return;
  const able = registeredBackends.filter((each) => !goesWithoutCredential(each)).join(" and ");
  const text = `Pass-through works only with the ${able} backends; the settings also name ${others[0]}.`;
  const settings = ["passThrough", "backend", "routes", "fallback"];
  throw new StartError("backend_unsuitable", text, { settings });
}

function fallBack({ host }: Settings): ChosenBackend {
  if (isLoopback(host)) return { backend: "simulator", isFallback: true };
  const why = `a simulated Cursor is never the fallback on a public address (${host})`;
  const text = `No Cursor credential was found, and ${why}. Run curlew login, or set CURSOR_API_KEY.`;
  throw new StartError("credential_missing", text, { settings: ["host"] });
}

/** @throws {StartError} `backend_unsuitable`, if careful conduct excludes a backend or a mode in the settings. */
function refuseUnofficial({ conduct, backend, routes, fallback, passThrough }: Settings): void {
  if (conduct !== "careful") return;
  if (passThrough) {
    const text =
      "Careful conduct is for one account, with only Cursor's own programs, which cannot use credentials of requests.";
    const settings = ["passThrough", "conduct"];
    throw new StartError("backend_unsuitable", `${text} Set passThrough to false, or conduct to usual.`, { settings });
  }
  const allowed: ReadonlySet<string> = new Set(["auto", "simulator", ...officialBackends]);
  const named = Object.entries({ backend: [backend], routes: Object.values(routes), fallback });
  const all = named.flatMap(([setting, names]) => names.map((name) => ({ setting, name })));
  const wrong = all.find(({ name }) => !allowed.has(name));
  if (wrong === undefined) return;
  const { setting, name } = wrong;
  const why = `Careful conduct allows only Cursor's own programs; the setting ${setting} names the ${name} backend.`;
  const how = `Name ${officialBackends.join(" or ")} there, or set conduct to usual.`;
  throw new StartError("backend_unsuitable", `${why} ${how}`, { settings: [setting, "conduct"] });
}
