// Runs once around all tests.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    readonly startsFile: string;
  }
}

/** A start takes a fifth of a second of a processor, nearly all of it to load code; the same command in the test's process takes none. */
const MAX_STARTS = 250;

export function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "curlew-starts-"));
  const startsFile = join(folder, "starts");
  writeFileSync(startsFile, "");
  provide("startsFile", startsFile);
  return () => {
    const starts = readFileSync(startsFile, "utf8").length;
    rmSync(folder, { recursive: true });
    if (starts <= MAX_STARTS) return;
    process.exitCode = 1; // the error alone is only shown
    const remedy = "Run commands in the process of their test: runCurlew instead of spawnCurlew.";
    throw new Error(`The tests have started the program ${starts} times; the limit is ${MAX_STARTS}. ${remedy}`);
  };
}
