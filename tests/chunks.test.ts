import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { mainFile } from "../testing/programs/curlew-process.js";

/** The files that are loaded with this one before any of its code runs. */
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

/** Every file costs about a millisecond at the start, whatever its size. */
describe("what is loaded", () => {
  it("is three small files for what needs no command", () => {
    const files = loadedWith(mainFile);
    expect(files.size).toBeLessThanOrEqual(3);
    expect(kibibytes(files)).toBeLessThan(48);
  });

  const parsed = () => loadedWith(commandFile("run-line"), loadedWith(mainFile));

  it("is the parser of the command line and two more until serve has opened its port, and nothing that speaks to Cursor", () => {
    const files = loadedWith(commandFile("serve"), parsed());
    expect(files.size).toBeLessThanOrEqual(6);
    // 180 of them are zod's, 67 commander's, and 26 those of the parser that reads comments and positions in curlew.json.
    expect(kibibytes(files)).toBeLessThan(432);
  });

  it("is one small file more for curlew alone", () => {
    const files = loadedWith(commandFile("serve"), loadedWith(commandFile("first-run"), parsed()));
    expect(files.size).toBeLessThanOrEqual(7);
  });

  it("is the ledger and nothing that speaks to Cursor for what went through Curlew", () => {
    const files = loadedWith(commandFile("usage"), loadedWith(mainFile));
    expect(kibibytes(files)).toBeLessThan(528);
  });
});

it("has the names of the sources in its stack traces", async () => {
  const { startGateway } = await import(pathToFileURL(join(dirname(mainFile), "index.js")).href);
  const refused = await startGateway({ logLevel: "nonsense" }).catch((thrown: unknown) => thrown);
  expect(refused).toHaveProperty("stack", expect.stringContaining("at loadSettings ("));
});
