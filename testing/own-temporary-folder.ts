// Runs once around all tests: they have a temporary folder of their own, and leave it empty.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function setup(): () => void {
  const { TMPDIR } = process.env;
  const folder = mkdtempSync(join(tmpdir(), "curlew-"));
  process.env.TMPDIR = folder;
  return () => {
    const left = readdirSync(folder);
    rmSync(folder, { recursive: true });
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    if (left.length === 0) return;
    process.exitCode = 1; // the error alone is only shown
    throw new Error(`The tests have left ${left.length} files or folders in the temporary folder: ${left.join(", ")}`);
  };
}
