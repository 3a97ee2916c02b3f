// The suite configures each client with the very text that docs/guide/clients.md tells people to use.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const GATEWAY_URL = "http://127.0.0.1:32124";
const page = readFileSync(new URL("../../docs/guide/clients.md", import.meta.url), "utf8");

/** Writes the files of a section of the page into `home`, and gives back the variables that it sets. */
export function configure(section, home, gatewayUrl) {
  const environment = {};
  for (const { about, text } of fencesOf(section)) {
    const live = text.replaceAll(GATEWAY_URL, gatewayUrl);
    if (about.startsWith("~/")) write(join(home, about.slice(2)), live);
    else if (about === "environment") Object.assign(environment, exportsOf(live));
  }
  return environment;
}

/** Fences whose language is followed by the place of a file, or by the word `environment`. */
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
