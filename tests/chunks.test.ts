import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { mainFile } from "../testing/programs/curlew-process.js";

/** The file with its static imports, which load before its code runs. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, specifier = ""] of textOf(file).matchAll(/^(?:import|export)\b[^"'(;]*["'](\.[^"']+)["']/gm)) {
    loadedWith(join(dirname(file), specifier), seen);
  }
  return seen;
}

function textOf(file: string): string {
  return readFileSync(file, "utf8");
}

/** The file that the program imports for a command. */
function commandFile(name: string): string {
  const [, specifier] = new RegExp(`import\\([\`"'](\\./chunks/${name}-[^\`"']+)`).exec(textOf(mainFile)) ?? [];
  expect(specifier).toBeDefined();
  return join(dirname(mainFile), specifier ?? "");
}

function kibibytes(files: Iterable<string>): number {
  return [...files].reduce((sum, file) => sum + textOf(file).length, 0) / 1024;
}

/** Every file costs about a millisecond at startup, whatever its size. */
describe("the code that is loaded", () => {
  it("is three small files when no command is needed", () => {
    const files = loadedWith(mainFile);
    expect(files.size).toBeLessThanOrEqual(3);
    expect(kibibytes(files)).toBeLessThan(48);
  });

  const parsed = () => loadedWith(commandFile("run-line"), loadedWith(mainFile));

  it("is six files until serve has opened its port, with nothing that speaks to Cursor", () => {
    const files = loadedWith(commandFile("serve"), parsed());
    expect(files.size).toBeLessThanOrEqual(6);
    // Of these KiB, zod has 180, commander 67, and the parser of curlew.json (comments, positions) 26.
    expect(kibibytes(files)).toBeLessThan(432);
  });

  it("is one more small file for plain curlew", () => {
    const files = loadedWith(commandFile("serve"), loadedWith(commandFile("first-run"), parsed()));
    expect(files.size).toBeLessThanOrEqual(7);
  });

  it("is the ledger and nothing that speaks to Cursor for curlew usage", () => {
    const files = loadedWith(commandFile("usage"), loadedWith(mainFile));
    expect(kibibytes(files)).toBeLessThan(528);
  });
});

it("the bundle keeps source names in stack traces", async () => {
  const { startGateway } = await import(pathToFileURL(join(dirname(mainFile), "index.js")).href);
  const refused = await startGateway({ logLevel: "nonsense" }).catch((thrown: unknown) => thrown);
  expect(refused).toHaveProperty("stack", expect.stringContaining("at loadSettings ("));
});
