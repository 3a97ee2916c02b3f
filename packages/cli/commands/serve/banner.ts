import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { registry } from "@curlew/gateway/backends/registry.js";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { unlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { LINK_MINUTES } from "@curlew/page/access/index.js";
import type { ChosenBackend } from "../../app/prepare/choose-backend.js";
import type { RunningServer } from "../../app/start/start-server.js";
import { version } from "../../app/version.js";
import type { Settings } from "../../config/settings.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { type Colors, colorsFor } from "../../terminal/print.js";
import { findCommand } from "../../terminal/programs.js";

type BannerSettings = Pick<Settings, "key" | "keyFile" | "backendUrl" | "passThrough" | "conduct">;

interface BannerContent extends Pick<RunningServer, "url" | "chosen" | "hasNamedKeys"> {
  readonly settings: BannerSettings;
  /** A link that opens the page once: a secret, only for a terminal. */
  readonly pageLink: string | undefined;
  readonly command: string;
}

const CAREFUL = "careful: two runs at once, no retries, no run left waiting longer than a minute";

/** Prints the banner. The link to the page is a secret, so only a terminal gets one. */
export function showBanner(machine: CommandMachine, server: RunningServer, settings: Settings): void {
  const { url, chosen, hasNamedKeys } = server;
  const { stderr } = machine;
  const pageLink = stderr.isTTY ? server.newPageLink() : undefined;
  const command = ownCommand(machine, machine.mainFile, process.cwd());
  stderr.write(banner({ url, chosen, settings, hasNamedKeys, pageLink, command }, colorsFor(stderr, machine.env)));
}

export function banner(content: BannerContent, colors: Colors): string {
  const { url, chosen, settings, hasNamedKeys, pageLink, command } = content;
  const { bold, dim, green, yellow } = colors;
  const row = (name: string, text: string) => `  ${dim(name.padEnd(9))} ${text}`;
  return [
    `${bold(`curlew ${version}`)} listens on ${green(url)}`,
    "",
    ...(chosen.backend === "simulator"
      ? [...simulatedNotice(chosen, command).map((line) => yellow(bold(line))), ""]
      : []),
    row("clients", `${command} setup`),
    row("OpenAI", `${url}/v1`),
    row("Anthropic", url),
    row("API key", describeKey(settings, hasNamedKeys, command)),
    row("backend", describeBackend(chosen, settings)),
    ...(settings.conduct === "careful" ? [row("conduct", CAREFUL)] : []),
    ...(pageLink === undefined ? [row("page", `${command} dashboard`)] : []),
    "",
    // On lines of their own, so that they can be copied even on a narrow terminal.
    ...(pageLink === undefined
      ? []
      : [dim(`  Page (opens once, within ${LINK_MINUTES} minutes; later: ${command} dashboard)`), `  ${pageLink}`, ""]),
    dim("  Try it"),
    `  ${curlLine(url, settings, hasNamedKeys)}`,
    "",
    dim("  Ctrl-C to stop"),
    "",
    "",
  ].join("\n");
}

function describeKey({ key, passThrough }: BannerSettings, hasNamedKeys: boolean, command: string): string {
  const keys = [
    ...(key === undefined ? [] : ["the gateway key"]),
    ...(hasNamedKeys ? [`a key of ${command} keys`] : []),
  ];
  const ours = keys.join(" or ");
  if (!passThrough) return ours || "any; no gateway key is set";
  const own = "the caller's own Cursor API key, session token or web cookie";
  return ours === "" ? own : `${own}; ${ours} comes as x-curlew-key`;
}

function describeBackend({ backend }: ChosenBackend, { backendUrl }: Pick<Settings, "backendUrl">): string {
  if (backend === "simulator") return backend;
  const entry = registry[backend];
  return `${backend} (${"title" in entry ? entry.title : new URL(backendUrl).host})`;
}

function simulatedNotice({ isFallback }: Extract<ChosenBackend, { backend: "simulator" }>, command: string): string[] {
  return [
    "  SIMULATED: the answers come from a built-in simulator, not from a model.",
    ...(isFallback ? [`  No Cursor credential was found. For real answers: ${command} login`] : []),
  ];
}

/** One line that can be pasted into a shell and gets an answer. The key itself is never shown. */
function curlLine(url: string, { key, keyFile, passThrough }: BannerSettings, hasNamedKeys: boolean): string {
  const variable = key === undefined ? "$KEY" : "$CURLEW_KEY";
  const secret = keyFile === undefined ? variable : `$(cat '${keyFile.replaceAll("'", `'\\''`)}')`;
  const isAsked = key !== undefined || hasNamedKeys;
  const shown = !isAsked ? "" : ` -H "${passThrough ? "x-curlew-key:" : "authorization: Bearer"} ${secret}"`;
  const authorization = `${passThrough ? ' -H "authorization: Bearer $CURSOR_API_KEY"' : ""}${shown}`;
  return `curl ${url.replace("http://", "")}/v1/responses${authorization} --json '{"model":"auto","input":"Hi"}'`;
}

/** The command that starts this program: `curlew` if that is this one, otherwise the file as seen from this folder. */
export function ownCommand(machine: Machine, main: string, folder: string): string {
  const real = unlessMissing(() => realpathSync(main)) ?? main;
  const found = findCommand("curlew", machine);
  // On Windows, the command is a script that starts the file.
  const isFound = found !== undefined && (machine.platform === "win32" || realpathSync(found) === real);
  if (isFound) return "curlew";
  if (/[\\/]node_modules[\\/]/.test(real)) return "npx curlew";
  const near = relative(folder, real);
  const path = near.startsWith("..") ? real : near;
  return `node ${/^[\w./\\:-]+$/.test(path) ? path : JSON.stringify(path)}`;
}
