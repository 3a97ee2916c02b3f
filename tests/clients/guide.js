// The suite configures each client with the very text that docs/guide/clients.md tells people to use.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const GATEWAY_URL = "http://127.0.0.1:32124";
const page = readFileSync(new URL("../../docs/guide/clients.md", import.meta.url), "utf8");

/** Writes the files of a section of the page into `home`; gives back what it sets in the environment and what it runs once. */
export function configure(section, home, gatewayUrl) {
  const environment = {};
  const commands = [];
  for (const { about, text } of fencesOf(section)) {
    const live = text.replaceAll(GATEWAY_URL, gatewayUrl);
    if (about.startsWith("~/")) write(join(home, about.slice(2)), live);
    else if (about === "environment") Object.assign(environment, exportsOf(live));
    else if (about === "once") commands.push(live);
    else throw new Error(`docs/guide/clients.md, ${section}: what is "${about}"?`);
  }
  return { environment, commands };
}

/** What the page says is proven must be what is tested. */
export function checkProven(clients, packages) {
  const rows = [...new Set(clients.map(({ name }) => name))].map((name) => {
    const ofName = clients.filter((client) => client.name === name);
    const dialects = ofName.map(({ dialect }) => dialect).join(", ");
    return `| ${name} | ${packages[ofName[0].command].version} | ${dialects} |`;
  });
  const lines = page.split("\n");
  const start = lines.indexOf("| Client | Version | Dialects |") + 2;
  assert.deepEqual(lines.slice(start, lines.indexOf("", start)), rows);
}

/** Fences whose language is followed by the place of a file, by the word `environment` or by the word `once`. */
function fencesOf(section) {
  const body = page.split(/^## /m).find((each) => each.startsWith(`${section}\n`));
  if (body === undefined) throw new Error(`docs/guide/clients.md has no section "${section}"`);
  return [...body.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, about, text]) => ({ about, text }));
}

function exportsOf(text) {
  return Object.fromEntries([...text.matchAll(/^export (\w+)=(\S*)$/gm)].map(([, name, value]) => [name, value]));
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
