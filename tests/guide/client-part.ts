import { isAbsolute } from "node:path";
import { assumedModel, type Client, type ClientFile, targetOf } from "../../packages/cli/setup/client.js";
import { plainObject } from "../../packages/cli/setup/merge.js";

/** A client as `npm run test:clients` runs it, in one of its dialects. */
export interface TestedClient {
  readonly name: string;
  readonly command: string;
  readonly dialect: string;
}

/** What the tests know about a client that they run. */
export interface Tested {
  readonly version: string;
  readonly dialects: readonly string[];
}

const target = targetOf({ url: "http://127.0.0.1:32124", key: undefined }, assumedModel("auto"));
const HOME = "/home";
const SETUP_LINK = "[How setup works](../clients.md#curlew-setup-and-curlew-run)";

/** The generated part of a client's page: `curlew setup`, `curlew run` and the client's own settings. */
export function clientPart(client: Client, tested: Tested | undefined): string {
  const { file, isProven, launch, name, title } = client;
  const run = launch === undefined ? "" : `\`curlew run ${name}\` starts it on the gateway and writes nothing. `;
  return [
    tested && `Tested with version ${tested.version} over ${tested.dialects.join(", ")}.`,
    !isProven &&
      `**Untested**: never run with Curlew. This page follows ${title}'s documentation of November 2026. Open an issue if it is wrong.`,
    ...(file === undefined ? shownSettings(client) : setupCommands(client, file)),
    `${run}${SETUP_LINK}.`,
    ...(file === undefined ? [] : settingsByHand(client, file)),
  ]
    .filter((part) => typeof part === "string")
    .join("\n\n");
}

function setupCommands({ name, title }: Client, file: ClientFile): string[] {
  const path = pathOf(file);
  const setup = `curlew setup ${name}${isFixed(file) ? "" : ` --file ${path}`}`;
  const lines = [
    [`${setup} --dry-run`, `shows the change to ${path}`],
    [`${setup} --yes`, "makes it and keeps a backup; without --yes it asks first"],
    [`${setup} --undo --yes`, "takes it back"],
  ];
  const width = Math.max(...lines.map(([command = ""]) => command.length)) + 3;
  return [
    fence("sh", "run", lines.map(([command = "", about]) => `${command.padEnd(width)}# ${about}`).join("\n")),
    fence("text", "output", `Nothing was written.\n${title} is set up.\nRestored ${title}'s settings.`),
  ];
}

/** For clients without a settings file, setup prints what the user has to enter. */
function shownSettings({ name, notes }: Client): string[] {
  return [fence("sh", "run", `curlew setup ${name}`), fence("text", "output", notes(target).join("\n"))];
}

function settingsByHand({ isProven, title }: Client, file: ClientFile): string[] {
  const { format, wanted } = file;
  const mark = isProven ? pathOf(file) : `untested: follows the documentation; ${title} was never run`;
  return [
    `By hand, in ${file
      .paths(machine)
      .map((path) => `\`${shown(path)}\``)
      .join(" or ")}:`,
    fence(format.name.toLowerCase(), mark, format.print(plainObject(wanted(target))).trim()),
  ];
}

const machine = { env: {}, platform: "linux", homeDirectory: HOME } as const;

function pathOf(file: ClientFile): string {
  return shown(file.paths(machine)[0] ?? "");
}

function isFixed(file: ClientFile): boolean {
  return file.paths(machine).every((path) => isAbsolute(path));
}

function shown(path: string): string {
  return path.replace(HOME, "~");
}

/** The mark is for tests and hidden from readers. */
function fence(language: string, mark: string, code: string): string {
  return `<!-- ${mark} -->\n\`\`\`${language}\n${code}\n\`\`\``;
}
