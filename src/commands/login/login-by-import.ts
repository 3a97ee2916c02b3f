import { execFile } from "node:child_process";
import { findForeign, foreignLocations, type RunProgram } from "../../auth/import/find-foreign.js";
import { cursorLocations } from "../../auth/import/locations.js";
import { exchangeKey } from "../../auth/sign-in.js";
import type { KeptCredential } from "../../auth/stores/kept-credential.js";
import { accountEmail, isTokenRefused } from "../../backends/cursor/account-calls.js";
import type { Machine } from "../../config/machine.js";
import { CommandFailure } from "../line/command-failure.js";
import { askConsent } from "../terminal/prompts.js";
import type { LoginDeps } from "./login-by-browser.js";

interface ImportLogin extends LoginDeps {
  readonly machine: Machine;
  /** `--yes` was given. */
  readonly hasConsent: boolean;
}

/**
 * Copies the credential of one of Cursor's own programs. Their stores are read, never written.
 *
 * @throws {CommandFailure} There is no credential, the user refuses, or Cursor does.
 */
export async function logInByImport({ machine, hasConsent, ...deps }: ImportLogin): Promise<KeptCredential> {
  const { backendUrl } = deps;
  const locations = foreignLocations(cursorLocations(machine), runProgram, Date.now());
  if (locations.length === 0) {
    throw new CommandFailure(1, "None of Cursor's own programs is signed in here. Run: curlew login");
  }
  if (!hasConsent) {
    const list = locations.map(({ name, what }) => `  ${name}: ${what}`).join("\n");
    process.stderr.write(`Curlew would read, and not change, until it finds a credential:\n${list}\n`);
    if (!(await askConsent("Read them and keep a copy of the credential?"))) {
      throw new CommandFailure(1, "Nothing was read. To allow it without being asked: curlew login --import --yes");
    }
  }
  const { found, reasons } = await findForeign(locations, backendUrl);
  if (found === undefined) {
    throw new CommandFailure(1, `No credential could be copied.\n${reasons.join("\n")}\nRun: curlew login`);
  }
  const { location, credential } = found;
  const { secret, expiresMs } = credential;
  const fix = "Run: curlew login";
  const token =
    secret.kind === "api-key"
      ? await exchangeKey(secret.apiKey, { ...deps, found: { from: location.name, fix } })
      : secret.accessToken;
  if (await isTokenRefused({ ...deps, token })) {
    throw new CommandFailure(1, `Cursor refuses the login of ${location.name} (${location.what}). ${fix}`);
  }
  const email = credential.email ?? (await accountEmail({ ...deps, token }));
  return { secret, backendUrl, origin: `from ${location.name}`, email, expiresMs, createdMs: Date.now() };
}

/**
 * The programs of Cursor whose login could be imported here, by name. Nothing is read to find that out.
 *
 * @param hasCli whether Cursor's CLI is on the PATH: macOS always has a Keychain, but a login in it only where the CLI was used
 */
export function foreignNames(machine: Machine, hasCli: boolean): string[] {
  const locations = cursorLocations(machine);
  const hasKeychain = locations.hasKeychain && hasCli;
  return [...new Set(foreignLocations({ ...locations, hasKeychain }, runProgram, Date.now()).map(({ name }) => name))];
}

const runProgram: RunProgram = (program, args) =>
  new Promise((resolve) => {
    const child = execFile(program, [...args], (_, stdout) => resolve({ code: child.exitCode, stdout }));
  });
