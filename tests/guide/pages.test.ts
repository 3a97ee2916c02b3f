// `npm run generate:pages` runs this file with -u, which writes the pages instead of comparing.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { commands } from "../../packages/cli/commands/commands.js";
import { settingsTable } from "../../packages/cli/config/table.js";
import type { Client } from "../../packages/cli/setup/client.js";
import { clients } from "../../packages/cli/setup/clients.js";
import { fallbackCodes } from "../../packages/gateway/backends/choose/backends.js";
import { skips } from "../../packages/gateway/backends/skips.cases.js";
import { fencesIn } from "../../testing/fences.js";
import peaks from "../day/peaks.json" with { type: "json" };
import { behaviours } from "../live-behaviour/behaviours.js";
import { adviceTable } from "./advice-table.js";
import { behavioursTable } from "./behaviours-table.js";
import { clientPart, type Tested, type TestedClient } from "./client-part.js";
import { type Commented, commentedEntries } from "./commented.js";
import { generatedBlock, withGenerated } from "./generated.js";
import { helpPage } from "./help-texts.js";
import { limitsTable } from "./limits-table.js";
import { metricsTable } from "./metrics-page.js";
import { settingsSections } from "./settings-page.js";
import {
  codeList,
  directivesTable,
  namesTable,
  skipsTable,
  testedClients,
  untestedBlocks,
  untestedClients,
} from "./tables.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = join(root, "docs", "guide");

const { clients: runs }: { clients: readonly TestedClient[] } = await import(`${root}tests/clients/clients.js`);
const { packages }: { packages: Readonly<Record<string, { readonly version: string }>> } = await import(
  `${root}tests/clients/versions.js`
);

function testedOf({ title }: Client): Tested | undefined {
  const ofClient = runs.filter(({ name }) => name === title);
  const { version } = packages[ofClient[0]?.command ?? ""] ?? {};
  return version === undefined ? undefined : { version, dialects: ofClient.map(({ dialect }) => dialect) };
}

const helpOfCommands = await helpPage(commands);

const parts: Readonly<Record<string, () => string>> = {
  "help of every command": () => helpOfCommands,
  settings: () => settingsSections(settingsTable),
  ...Object.fromEntries(clients.map((each) => [`setup of ${each.name}`, () => clientPart(each, testedOf(each))])),
  "tested clients": () => testedClients(clients, testedOf),
  "untested clients": () => untestedClients(clients),
  "untested blocks": () => untestedBlocks(otherFences()),
  "what backends cannot do": () => skipsTable(skips),
  "fallback errors": () => codeList(fallbackCodes),
  "channels of events": () =>
    namesTable("Channel", entriesOf("packages/gateway/turn/events/channels.ts", "export const eventNames = [")),
  "the record of a request": () =>
    namesTable("Field", entriesOf("packages/gateway/turn/events/channels.ts", "export class RequestRecord {")),
  metrics: metricsTable,
  "advice of curlew logs ID": () => adviceTable(continuityValues()),
  "values of continuity": () => namesTable("Value", continuityValues()),
  "options of startGateway": () =>
    namesTable("Option", entriesOf("packages/cli/app/gateway-options.ts", "export interface GatewayOptions {")),
  "codes of a StartError": () =>
    namesTable("Code", entriesOf("packages/cli/app/prepare/start-error.ts", "export type StartErrorCode =")),
  directives: () =>
    directivesTable(entriesOf("packages/simulator/model/directives.ts", "const readers: Record<string, Reader> = {")),
  "default limits": () => limitsTable(peaks),
  "live behaviours": () => behavioursTable(behaviours),
  "options of the fake CLI": () =>
    namesTable("Name", entriesOf("packages/simulator/cli/scenario.ts", "export interface Scenario {")),
};

function continuityValues(): Commented[] {
  const of = (declaration: string) => entriesOf("packages/gateway/core/continuity.ts", declaration);
  const noted = (note: string, declaration: string) =>
    of(declaration).map((entry) => ({ ...entry, name: `${note}:${entry.name}` }));
  return [...of("type KeptState ="), ...noted("warm", "export type WarmNote ="), ...noted("cold", "type ColdReason =")];
}

function entriesOf(file: string, declaration: string): Commented[] {
  return commentedEntries(readFileSync(join(root, file), "utf8"), declaration);
}

function partOf(name: string): string {
  const part = parts[name];
  if (part === undefined) throw new Error(`The generated block "${name}" has no generator.`);
  return part();
}

const listOfBlocks = join(guide, "untested.md");
const clientPages = new Map(clients.map((client) => [join(guide, "clients", `${client.name}.md`), client]));
const others = [join(root, "README.md"), join(root, "docs", "protocol", "live-behaviour.md")];
const paths = [...new Set([...others, ...pagesBelow(guide), ...clientPages.keys()])].sort();

/** The new text of a page; creates a page for a client without one. */
function pageAt(path: string): string {
  if (existsSync(path)) return withGenerated(readFileSync(path, "utf8"), partOf);
  const { title = "", name = "" } = clientPages.get(path) ?? {};
  return withGenerated(`# ${title}\n\n${generatedBlock(`setup of ${name}`, "")}\n`, partOf);
}

/** Other pages are not compared: other tests may write them concurrently. */
function hasGenerated(path: string): boolean {
  return clientPages.has(path) || readFileSync(path, "utf8").includes("<!-- generated: ");
}

/** Made from the new texts, so that one run is enough. */
function otherFences() {
  const others = paths.filter((path) => path !== listOfBlocks);
  return others.flatMap((path) => fencesIn(pageAt(path), path.slice(root.length)));
}

function pagesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
}

describe("the guide", () => {
  it.each(paths.filter(hasGenerated))("is up to date: %s", async (path) => {
    await expect(pageAt(path)).toMatchFileSnapshot(path);
  });

  it("is listed page by page in docs/README.md and docs/guide/clients.md", () => {
    const map = readFileSync(join(root, "docs", "README.md"), "utf8");
    const list = pageAt(join(guide, "clients.md"));
    const top = readdirSync(guide).filter((name) => name.endsWith(".md"));
    expect(top.filter((name) => !map.includes(`](guide/${name})`))).toEqual([]);
    const ofClients = readdirSync(join(guide, "clients"));
    expect(ofClients.filter((name) => !list.includes(`](clients/${name})`))).toEqual([]);
  });
});

describe("the page of a client", () => {
  it.each(clients)("has its generated part: $name", ({ name, title }) => {
    const page = pageAt(join(guide, "clients", `${name}.md`));
    expect(page.startsWith(`# ${title}\n\n<!-- generated: setup of ${name} -->\n`)).toBe(true);
  });
});
