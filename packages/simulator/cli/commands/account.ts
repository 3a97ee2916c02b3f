import { findCredential } from "../checks.js";
import type { Parsed } from "../flags.js";
import { storeLogin } from "../scenario.js";
import type { World } from "../world.js";

/** The exit code is 0 in both states; only the text differs. */
export function status(world: World, parsed: Parsed): void {
  const { email, ansi } = world.scenario;
  const isAuthenticated = findCredential(world, parsed) !== undefined;
  if (parsed.options.get("--format") === "json") {
    const json = {
      status: isAuthenticated ? "authenticated" : "unauthenticated",
      isAuthenticated,
      hasAccessToken: isAuthenticated,
      message: isAuthenticated ? `Logged in as ${email}` : "Not logged in",
      ...(isAuthenticated ? { userInfo: { email } } : {}),
    };
    world.out(`${JSON.stringify(json, null, 2)}\n`);
    return;
  }
  const [mark, colour] = isAuthenticated ? ["✓", 32] : ["✗", 31];
  const shown = ansi ? `\u001b[${colour}m${mark}\u001b[39m` : mark;
  world.out(isAuthenticated ? `\n ${shown} Logged in as ${email}\n` : `\n ${shown} Not logged in\n`);
}

export function about(world: World, parsed: Parsed): void {
  const isLoggedIn = findCredential(world, parsed) !== undefined;
  const about = {
    cliVersion: world.scenario.version,
    model: "Auto",
    subscriptionTier: isLoggedIn ? "Pro" : null,
    userEmail: isLoggedIn ? world.scenario.email : null,
  };
  if (parsed.options.get("--format") === "json") {
    world.out(`${JSON.stringify(about, null, 2)}\n`);
    return;
  }
  const rows = [
    ["CLI Version", about.cliVersion],
    ["Model", about.model],
    ["Subscription Tier", about.subscriptionTier ?? "Unknown"],
    ["User Email", about.userEmail ?? "Not logged in"],
  ] as const;
  world.out(`About Cursor CLI\n\n${rows.map(([name, text]) => `${name.padEnd(20)}${text}\n`).join("")}`);
}

/** No person has to approve, and no page opens. */
export function login(world: World, scenarioPath: string | undefined): void {
  const query = `challenge=${"c".repeat(43)}&uuid=${world.newId()}&mode=login&redirectTarget=cli`;
  world.out(
    `Open this page to sign in:\n\nhttps://cursor.com/loginDeepControl?${query}\n\nWaiting for the sign-in...\n`,
  );
  storeLogin(scenarioPath, true);
  world.out(`✓ Logged in as ${world.scenario.email}\n`);
}

export function logout(world: World, scenarioPath: string | undefined): void {
  storeLogin(scenarioPath, false);
  world.out("Logged out\n");
}
