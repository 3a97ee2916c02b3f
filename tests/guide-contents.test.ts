import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("..", import.meta.url);
const readme = readFileSync(new URL("README.md", root), "utf8");
const clients = readFileSync(new URL("docs/guide/clients.md", root), "utf8");

it("every page of the guide is in the README's table of contents", () => {
  const pages = readdirSync(new URL("docs/guide/", root)).filter((name) => name.endsWith(".md"));
  expect(pages.filter((name) => !readme.includes(`](docs/guide/${name}) |`))).toEqual([]);
});

it("every page about a client is in the list of clients", () => {
  const pages = readdirSync(new URL("docs/guide/clients/", root));
  expect(pages.filter((name) => !clients.includes(`](clients/${name}) |`))).toEqual([]);
});
