import type { ChosenBackend } from "../app/prepare/choose-backend.js";
import { registry } from "../backends/registry.js";
import type { Settings } from "../config/settings.js";
import { LINK_MINUTES } from "../page/index.js";
import { version } from "../version.js";
import type { Colors } from "./line/colors.js";

interface BannerContent {
  readonly url: string;
  readonly chosen: ChosenBackend;
  readonly settings: Pick<Settings, "key" | "keyFile" | "backendUrl" | "passThrough" | "conduct">;
  /** Whether clients may show a key of `curlew keys`. */
  readonly hasNamedKeys: boolean;
  /** A link that opens the page once: a secret, for a terminal alone. */
  readonly pageLink: string | undefined;
}

const CAREFUL = "careful: two runs at once, no retries, no run left waiting longer than a minute";

/** The first thing that a person sees: the address for clients, the backend, and a line to try it with. */
export function banner({ url, chosen, settings, hasNamedKeys, pageLink }: BannerContent, colors: Colors): string {
  const { bold, dim, green, yellow } = colors;
  const row = (name: string, text: string) => `  ${dim(name.padEnd(9))} ${text}`;
  return [
    `${bold(`curlew ${version}`)} listens on ${green(url)}`,
    "",
    ...(chosen.backend === "simulator" ? [...simulatedNotice(chosen).map((line) => yellow(bold(line))), ""] : []),
    row("base URL", `${url}/v1`),
    row("API key", describeKey(settings, hasNamedKeys)),
    row("backend", describeBackend(chosen, settings)),
    ...(settings.conduct === "careful" ? [row("conduct", CAREFUL)] : []),
    row("page", describePage(pageLink)),
    row("try", curlLine(url, settings, hasNamedKeys)),
    row("next", `${url}/v1/models, curlew ask "hello", curlew --help`),
    "",
    "",
  ].join("\n");
}

function describeKey({ key, passThrough }: Pick<Settings, "key" | "passThrough">, hasNamedKeys: boolean): string {
  const keys = [...(key === undefined ? [] : ["the gateway key"]), ...(hasNamedKeys ? ["a key of curlew keys"] : [])];
  const ours = keys.join(" or ");
  if (!passThrough) return ours || "anything; no gateway key is set";
  const own = "the caller's own Cursor API key, session token or web cookie";
  return ours === "" ? own : `${own}; ${ours} comes as x-curlew-key`;
}

function describeBackend({ backend }: ChosenBackend, { backendUrl }: Pick<Settings, "backendUrl">): string {
  if (backend === "simulator") return backend;
  const entry = registry[backend];
  return `${backend} (${"title" in entry ? entry.title : new URL(backendUrl).host})`;
}

function describePage(link: string | undefined): string {
  if (link === undefined) return "curlew dashboard opens it";
  return `${link} (works once, for ${LINK_MINUTES} minutes; curlew dashboard makes another)`;
}

function simulatedNotice({ isFallback }: Extract<ChosenBackend, { backend: "simulator" }>): string[] {
  return [
    "  SIMULATED: the answers come from a built-in simulator, not from a model.",
    ...(isFallback ? ["  No Cursor credential was found. For real answers run curlew login and start again."] : []),
  ];
}

/** One line that can be pasted into a shell and streams an answer. The key itself is never shown. */
function curlLine(
  url: string,
  { key, keyFile, passThrough }: BannerContent["settings"],
  hasNamedKeys: boolean,
): string {
  const body = '{"model":"auto","stream":true,"messages":[{"role":"user","content":"Hello, Curlew!"}]}';
  const variable = key === undefined ? "$KEY" : "$CURLEW_KEY";
  const secret = keyFile === undefined ? variable : `$(cat '${keyFile.replaceAll("'", `'\\''`)}')`;
  const isAsked = key !== undefined || hasNamedKeys;
  const shown = !isAsked ? "" : ` -H "${passThrough ? "x-curlew-key:" : "authorization: Bearer"} ${secret}"`;
  const authorization = `${passThrough ? ' -H "authorization: Bearer $CURSOR_API_KEY"' : ""}${shown}`;
  return `curl -sN ${url}/v1/chat/completions${authorization} -H 'content-type: application/json' -d '${body}'`;
}
