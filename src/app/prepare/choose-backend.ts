import type { FoundCredential } from "../../auth/credential.js";
import { findCredential } from "../../auth/find-credential.js";
import {
  goesWithoutCredential,
  officialBackends,
  type RegisteredBackend,
  registeredBackends,
  registry,
} from "../../backends/registry.js";
import { systemClock } from "../../clock.js";
import { isLoopback } from "../../config/loopback.js";
import { thisMachine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";
import { reasonOf } from "../../turn/reason-of.js";
import { ownStore } from "./own-files.js";
import { StartError } from "./start-error.js";

/** The backend of turns that no route sends elsewhere, decided once at the start. */
export type ChosenBackend =
  | { readonly backend: RegisteredBackend; readonly credential: FoundCredential }
  /** `isFallback`: nobody asked for the simulator; it is used because there is no credential on the machine. */
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
  // A credential that cannot be used is reported with every request: a simulated Cursor would only hide it.
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

/** The first of Cursor's programs that has a login. Only Cursor can judge a key, so a key counts as one. */
async function chooseOfficial(
  settings: Settings,
  credential: FoundCredential | undefined,
  orSimulate: boolean,
): Promise<ChosenBackend> {
  const parts = { settings, machine: thisMachine(), clock: systemClock };
  const hasKey = credential?.credential.kind === "api-key";
  const problems = ["Careful conduct uses Cursor's own programs alone, and none of them can be used:"];
  for (const name of registeredBackends) {
    const entry = registry[name];
    if (!("isOfficial" in entry)) continue;
    const { isLoggedIn, report } = await entry.ownLogin();
    const found = await report(parts);
    if (!found.isUsable) problems.push(`  ${name}: ${reasonOf(found.why)} Run: ${found.fix}`);
    // The CLI has been asked for its login; the SDK tells nobody before it is used.
    else if (name === "sdk" && !hasKey && !(await isLoggedIn(parts)))
      problems.push(`  ${name}: Cursor's SDK is not logged in. Set CURSOR_API_KEY to a key of your account.`);
    else return { backend: name, credential: credential ?? ownLoginOnly };
  }
  if (credential === undefined && orSimulate) return fallBack(settings);
  throw new StartError("backend_unsuitable", problems.join("\n"), { settings: ["conduct"] });
}

async function firstLoggedIn(settings: Settings): Promise<RegisteredBackend | undefined> {
  const parts = { settings, machine: thisMachine(), clock: systemClock };
  for (const name of registeredBackends) {
    const entry = registry[name];
    if ("ownLogin" in entry && (await (await entry.ownLogin()).isLoggedIn(parts))) return name;
  }
  return undefined;
}

/** In pass-through mode requests bring their own credential. */
const noneOfItsOwn: FoundCredential = {
  credential: { kind: "unusable", why: "This request brings no credential of Cursor, and the gateway has none." },
  from: "nowhere",
  fix: "Send your own Cursor API key as the bearer, or run curlew login where the gateway runs.",
};

const ownLoginOnly: FoundCredential = {
  credential: { kind: "unusable", why: "Curlew itself has no credential of Cursor's." },
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
  const text = `Pass-through works with the ${able} backends alone; the settings also name ${others[0]}.`;
  const settings = ["passThrough", "backend", "routes", "fallback"];
  throw new StartError("backend_unsuitable", text, { settings });
}

function fallBack({ host }: Settings): ChosenBackend {
  if (isLoopback(host)) return { backend: "simulator", isFallback: true };
  const why = `a simulated Cursor is never the fallback on a public address (${host})`;
  const text = `No Cursor credential was found, and ${why}. Run curlew login, or set CURSOR_API_KEY.`;
  throw new StartError("credential_missing", text, { settings: ["host"] });
}

/** @throws {StartError} `backend_unsuitable`, if the settings name a backend, or ask for something, that careful conduct excludes. */
function refuseUnofficial({ conduct, backend, routes, fallback, passThrough }: Settings): void {
  if (conduct !== "careful") return;
  if (passThrough) {
    const text =
      "Careful conduct is for one account, with Cursor's own programs alone, which take no credentials of requests.";
    const settings = ["passThrough", "conduct"];
    throw new StartError("backend_unsuitable", `${text} Set passThrough to false, or conduct to usual.`, { settings });
  }
  const allowed: ReadonlySet<string> = new Set(["auto", "simulator", ...officialBackends]);
  const named = Object.entries({ backend: [backend], routes: Object.values(routes), fallback });
  const all = named.flatMap(([setting, names]) => names.map((name) => ({ setting, name })));
  const wrong = all.find(({ name }) => !allowed.has(name));
  if (wrong === undefined) return;
  const { setting, name } = wrong;
  const why = `Careful conduct uses Cursor's own programs alone, and the setting ${setting} names the ${name} backend.`;
  const how = `Name ${officialBackends.join(" or ")} there, or set conduct to usual.`;
  throw new StartError("backend_unsuitable", `${why} ${how}`, { settings: [setting, "conduct"] });
}
