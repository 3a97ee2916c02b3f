import type { OwnLoginParts, OwnLoginReport } from "../backend-parts.js";
import { Cli, type CliLoginSettings } from "./cli.js";

type CliParts = OwnLoginParts<CliLoginSettings>;

export async function isLoggedIn(parts: CliParts): Promise<boolean> {
  return withCli(parts, (cli) => cli.login()).then(
    (login) => login === "logged-in",
    () => false,
  );
}

export function report(parts: CliParts): Promise<OwnLoginReport> {
  return withCli(parts, async (cli) => {
    const found = await cli.find().catch((why: unknown) => ({ why }));
    if ("why" in found) return { isUsable: false, why: found.why, fix: installCommand(parts.machine.platform) };
    const what = `${found.path} (${found.version})`;
    try {
      const login = await cli.login();
      if (login === "logged-out")
        return { isUsable: false, why: `${what} is not logged in.`, fix: "cursor-agent login" };
      return { isUsable: true, what: `${what}, ${login === "logged-in" ? "logged in" : "with its own key"}` };
    } catch (why) {
      return { isUsable: false, why, fix: "cursor-agent status" };
    }
  });
}

/** The version of the CLI on this machine, as it names itself to Cursor. Runs it. */
export function installedVersion(parts: CliParts): Promise<string | undefined> {
  return withCli(parts, async (cli) => {
    const { version } = await cli.find().catch(() => ({ version: "" }));
    return version === "" ? undefined : `cli-${version}`;
  });
}

async function withCli<Result>(parts: CliParts, ask: (cli: Cli) => Promise<Result>): Promise<Result> {
  const cli = new Cli({ ...parts, log: { info() {}, warn() {} } });
  try {
    return await ask(cli);
  } finally {
    await cli.close();
  }
}

/** The command from Cursor's own page for its CLI. */
function installCommand(platform: NodeJS.Platform): string {
  return platform === "win32"
    ? "irm 'https://cursor.com/install?win32=true' | iex"
    : "curl https://cursor.com/install -fsS | bash";
}
