import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const protocol = join(root, "docs", "protocol");

/** `docs/protocol/PAGE.md, SECTION`, where the section ends with a bracket or a full stop. */
const REFERENCE = /docs\/protocol\/([a-z-]+\.md)(?:, ([a-z][^()]*?)(?=\)|\.(?:\s|$)))?/g;

function sourceFiles(): string[] {
  return ["packages"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name)),
  );
}

/** The file with its comments as running text, without comment marks. */
function prose(file: string): string {
  return readFileSync(join(root, file), "utf8").replace(/\n\s*(?:\*\/|\*|\/\/)?\s*/g, " ");
}

const references = sourceFiles().flatMap((file) =>
  [...prose(file).matchAll(REFERENCE)].map(([, page = "", section]) => ({ file, page, section })),
);

const sectionsByPage = new Map(
  readdirSync(protocol).map((page) => [
    page,
    [...readFileSync(join(protocol, page), "utf8").matchAll(/^## (.+)$/gm)].map(([, title = ""]) =>
      title.toLowerCase(),
    ),
  ]),
);

it("comments name pages and sections of docs/protocol that exist", () => {
  const unknown = references.filter(({ page, section }) => {
    const sections = sectionsByPage.get(page);
    return sections === undefined || (section !== undefined && !sections.includes(section.toLowerCase()));
  });
  expect(unknown).toEqual([]);
});

it("every section of the wire page is named by a constant or a comment", () => {
  const named = new Set(
    references.filter(({ page }) => page === "wire.md").map(({ section }) => section?.toLowerCase()),
  );
  expect(sectionsByPage.get("wire.md")?.filter((section) => !named.has(section))).toEqual([]);
});
