import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { InstalledProgram, OwnLoginParts, OwnLoginReport } from "../backend-parts.js";
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

/** The CLI on this machine: its version, as it names itself to Cursor, and its code. Runs it for its version. */
export function installed(parts: CliParts): Promise<InstalledProgram | undefined> {
  return withCli(parts, async (cli) => {
    const { version, path } = await cli.find().catch(() => ({ version: "", path: "" }));
    if (version === "") return undefined;
    return { version: `cli-${version}`, bundle: join(dirname(await realpath(path)), "index.js") };
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
