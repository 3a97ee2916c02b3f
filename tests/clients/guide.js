// Configures each client with the text that its page in docs/guide/clients shows.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const GATEWAY_URL = "http://127.0.0.1:32124";
/** Marks of blocks that tests/docs.test.ts runs, and of their output. */
const ofOtherTests = new Set(["run", "output"]);
const guide = new URL("../../docs/guide/", import.meta.url);
const pages = readdirSync(new URL("clients/", guide)).map((file) => ({
  file,
  text: readFileSync(new URL(`clients/${file}`, guide), "utf8"),
}));

/** Writes the files on a client's page into `home`. */
export function configure(name, home, gatewayUrl) {
  const { file, text: page } = pageOf(name);
  for (const { about, text } of fencesOf(page)) {
    if (!about.startsWith("~/")) throw new Error(`docs/guide/clients/${file}: what is "${about}"?`);
    write(join(home, about.slice(2)), text.replaceAll(GATEWAY_URL, gatewayUrl));
  }
}

function pageOf(name) {
  const page = pages.find(({ text }) => text.startsWith(`# ${name}\n`));
  if (page === undefined) throw new Error(`docs/guide/clients has no page "${name}"`);
  return page;
}

/** Blocks that a comment before them marks with the path of a file. */
function fencesOf(page) {
  const fences = [...page.matchAll(/^<!-- (\S+) -->\n```\w+\n([\s\S]*?)^```$/gm)].map(([, about, text]) => ({
    about,
    text,
  }));
  return fences.filter(({ about }) => !ofOtherTests.has(about));
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
