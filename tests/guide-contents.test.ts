import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { clients } from "../src/setup/clients.js";

const guide = new URL("../docs/guide/", import.meta.url);
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const list = readFileSync(new URL("clients.md", guide), "utf8");
const pages = readdirSync(new URL("clients/", guide)).map((name) => ({
  name,
  text: readFileSync(new URL(`clients/${name}`, guide), "utf8"),
}));

it("every page of the guide is in the README's table of contents", () => {
  const names = readdirSync(guide).filter((name) => name.endsWith(".md"));
  expect(names.filter((name) => !readme.includes(`](docs/guide/${name}) |`))).toEqual([]);
});

it("every page about a client is in the list of clients", () => {
  expect(pages.filter(({ name }) => !list.includes(`](clients/${name}) |`))).toEqual([]);
});

describe.each(clients)("the page about $title", ({ name, title, isProven }) => {
  const page = pages.find(({ text }) => text.startsWith(`# ${title}\n`))?.text ?? "";

  it("has the command that sets it up", () => {
    expect(page).toMatch(new RegExp(`^curlew setup ${name}\\b`, "m"));
  });

  it("says whether it was tested", () => {
    expect(page.includes("\nNot tested: ")).toBe(!isProven);
  });
});
