// The suite configures each client with the very text that its page in docs/guide/clients tells people to use.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const GATEWAY_URL = "http://127.0.0.1:32124";
/** Marks of fences that tests/docs.test.ts runs, and of what they print. */
const ofOtherTests = new Set(["run", "output"]);
const guide = new URL("../../docs/guide/", import.meta.url);
const list = readFileSync(new URL("clients.md", guide), "utf8");
const pages = readdirSync(new URL("clients/", guide)).map((file) => ({
  file,
  text: readFileSync(new URL(`clients/${file}`, guide), "utf8"),
}));

/** Writes the files on a client's page into `home`; gives back what it sets in the environment and what it runs once. */
export function configure(name, home, gatewayUrl) {
  const environment = {};
  const commands = [];
  const { file, text: page } = pageOf(name);
  for (const { about, text } of fencesOf(page)) {
    const live = text.replaceAll(GATEWAY_URL, gatewayUrl);
    if (about.startsWith("~/")) write(join(home, about.slice(2)), live);
    else if (about === "environment") Object.assign(environment, exportsOf(live));
    else if (about === "once") commands.push(live);
    else throw new Error(`docs/guide/clients/${file}: what is "${about}"?`);
  }
  return { environment, commands };
}

/** What the list says is proven must be what is tested. */
export function checkProven(clients, packages) {
  const rows = [...new Set(clients.map(({ name }) => name))].map((name) => {
    const ofName = clients.filter((client) => client.name === name);
    const dialects = ofName.map(({ dialect }) => dialect).join(", ");
    return `| [${name}](clients/${pageOf(name).file}) | ${packages[ofName[0].command].version} | ${dialects} |`;
  });
  const lines = list.split("\n");
  const start = lines.indexOf("| Client | Version | Dialects |") + 2;
  assert.deepEqual(lines.slice(start, lines.indexOf("", start)), rows);
}

function pageOf(name) {
  const page = pages.find(({ text }) => text.startsWith(`# ${name}\n`));
  if (page === undefined) throw new Error(`docs/guide/clients has no page "${name}"`);
  return page;
}

/** Fences whose language is followed by the place of a file, by the word `environment` or by the word `once`. */
function fencesOf(page) {
  const fences = [...page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, about, text]) => ({ about, text }));
  return fences.filter(({ about }) => !ofOtherTests.has(about));
}

function exportsOf(text) {
  return Object.fromEntries([...text.matchAll(/^export (\w+)=(\S*)$/gm)].map(([, name, value]) => [name, value]));
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
