import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { clients } from "../src/setup/clients.js";
import { editedText } from "../src/setup/edited-text.js";
import { fencesOf } from "../testing/fences.js";

const root = new URL("../", import.meta.url);
const guide = new URL("docs/guide/", root);
const readme = readFileSync(new URL("README.md", root), "utf8");
const list = readFileSync(new URL("clients.md", guide), "utf8");
const pages = readdirSync(new URL("clients/", guide)).map((name) => {
  const path = fileURLToPath(new URL(`clients/${name}`, guide));
  return { name, text: readFileSync(path, "utf8"), fences: fencesOf(fileURLToPath(root), path) };
});

it("every page of the guide is in the README's table of contents", () => {
  const names = readdirSync(guide).filter((name) => name.endsWith(".md"));
  expect(names.filter((name) => !readme.includes(`](docs/guide/${name}) |`))).toEqual([]);
});

it("every page about a client is in the list of clients", () => {
  const names = pages.map(({ name }) => name);
  expect(names.filter((name) => !list.includes(`](clients/${name}) |`))).toEqual([]);
});

function pageAbout(title: string) {
  const page = pages.find(({ text }) => text.startsWith(`# ${title}\n`));
  if (page === undefined) throw new Error(`docs/guide/clients has no page about ${title}.`);
  return page;
}

describe.each(clients)("the page about $title", ({ name, title, isProven }) => {
  it("has the command that sets it up", () => {
    const commands = pageAbout(title).fences.filter(({ mark }) => mark === "run");
    expect(commands.map(({ code }) => code).join()).toMatch(new RegExp(`curlew setup ${name}\\b`));
  });

  it("says whether it was tested", () => {
    expect(pageAbout(title).text.includes("\nNot tested: ")).toBe(!isProven);
  });
});

// So what `npm run test:clients` proves of a page holds for the command, too.
describe("settings on a page", () => {
  const target = { url: "http://127.0.0.1:32124", model: "auto", contextTokens: 200_000, key: undefined };
  const home = { env: {}, platform: "linux", homeDirectory: "~" } as const;
  const written = clients.flatMap(({ title, file }) => (file === undefined ? [] : [{ title, file }]));

  it.each(written)(
    "are those that the command writes: $title",
    ({ title, file: { format, paths, wanted, defaults } }) => {
      const [path] = paths(home);
      const byHand =
        pageAbout(title).fences.find(({ mark }) => mark === path || mark.startsWith("untested "))?.code ?? "";
      expect(editedText(byHand, format, { wanted: wanted(target), defaults })).toBe(byHand);
    },
  );
});
