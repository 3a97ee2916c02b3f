import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { makeFolder } from "@curlew/gateway/system/make-folder.js";
import { replaceFile } from "@curlew/gateway/system/replace-file.js";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { LINK_MINUTES, replaceSecret } from "@curlew/page/access/index.js";
import { z } from "zod";
import { pageSecretFile, runFolder } from "../app/prepare/own-files.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import type { Settings } from "../config/settings.js";
import { askGateways } from "../control/running-gateways.js";
import type { Output } from "../terminal/command-machine.js";
import { CommandFailure, orFail, printJson, report } from "../terminal/print.js";
import { openBrowser } from "../terminal/programs.js";
import { defineCommand, flag, option } from "./line/definition.js";

/** Strict, because the link is written into a file that a browser opens. */
const PageLink = z.object({ url: z.string().regex(/^http:\/\/[\w.:[\]-]+\/#open=[\w-]+$/) });

export const dashboard = defineCommand({
  examples: [
    ["curlew dashboard", "open it in your browser"],
    ["curlew dashboard --no-open", "only print the link"],
  ],
  args: {
    "no-open": flag("Only print the link (NO_OPEN_BROWSER=1)"),
    json: flag("Print the link as JSON, and open nothing"),
    forget: flag("Close the page in all browsers, and invalidate its links"),
    port: option("port", "Port of the gateway if several run; by default, the port in your settings"),
    ...settingArgs([]),
  },
  async run({ args, machine }) {
    const { settings } = loadFrom(args, machine);
    if (args.forget) return forget(machine.stdout, settings, args.json === true);
    const found = await findGateways(settings, machine.stderr);
    const { url, link, problem } = choose(found, settings.port, args.port !== undefined);
    if (link === undefined) throw new CommandFailure(1, `The gateway at ${url} gave no link: ${problem}.`);
    if (args.json) return printJson(machine.stdout, { gateway: url, link, minutes: LINK_MINUTES });
    const wantsBrowser = args["no-open"] !== true && !machine.env.NO_OPEN_BROWSER;
    const opens = wantsBrowser && machine.stdout.isTTY && hasDisplay(machine);
    const isOpened = opens && (await openUnseen(link, runFolder(settings), machine));
    machine.stdout.write(`${link}\n`);
    machine.stderr.write(
      isOpened
        ? "The page opens in your browser. If it does not, open this link yourself.\n"
        : `Open this link in a browser on this machine. It works once, for ${LINK_MINUTES} minutes.\n`,
    );
    return 0;
  },
});

function forget(stdout: Output, settings: Settings, asJson: boolean): number {
  const path = pageSecretFile(settings);
  const words = (why: string) => `The pages are still open, because ${path} cannot be replaced: ${why}`;
  orFail(() => replaceSecret(path), { exitCode: 1, words });
  return report(
    stdout,
    { closed: true },
    asJson,
    () => "The page is closed in all browsers, and old links no longer work.\n",
  );
}

/** Asks all gateways, since only an answer shows that one runs. Unused links expire. */
async function findGateways(settings: Settings, stderr: Output) {
  const answers = await askGateways(runFolder(settings), "/curlew/page-link");
  return answers.map(({ url, answer, problem }) => {
    const link = PageLink.safeParse(answer).data?.url;
    const isOwn = link !== undefined && new URL(link).origin === new URL(url).origin;
    return {
      url: shownOn(stderr, url),
      // Undefined if the gateway gave none; then `problem` says why.
      link: isOwn ? link : undefined,
      problem: problem ?? "its answer is not understood; it may be another version",
    };
  });
}

function choose<Found extends { url: string }>(found: readonly Found[], port: number, isPortGiven: boolean): Found {
  const [only, ...others] = found;
  if (only === undefined) throw new CommandFailure(1, "No gateway is running. Start one with: curlew serve");
  const named = found.find(({ url }) => Number(new URL(url).port || "80") === port);
  if (named !== undefined) return named;
  const list = found.map(({ url }) => `\n  ${url}`).join("");
  if (isPortGiven) throw new CommandFailure(1, `No gateway is running on port ${port}. Running gateways:${list}`);
  if (others.length > 0) throw new CommandFailure(1, `Several gateways are running. Choose one with --port:${list}`);
  return only;
}

function hasDisplay({ env, platform }: Machine): boolean {
  if (platform === "darwin" || platform === "win32") return !env.SSH_CONNECTION;
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** Opens a secret link through a private file, because other users can see command lines. False without a browser. */
async function openUnseen(link: string, folder: string, machine: Machine): Promise<boolean> {
  const path = join(folder, `open-${new URL(link).port || "80"}.html`);
  try {
    makeFolder(folder);
    replaceFile(path, pageTo(link));
  } catch {
    return false; // the link is also printed
  }
  return openBrowser(pathToFileURL(path).href, machine);
}

function pageTo(link: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${link}">
<title>Curlew</title>
<a href="${link}">Open the page</a>
`;
}
