import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";
import { type InstalledCli, installFakeCli } from "../../../../testing/simulator/installed-cli.js";

/** A simulated CLI and a folder for its workspaces, for all tests of a file. Every test begins with the usual scenario. */
export async function useFakeCli(): Promise<{ fake: InstalledCli; temporaryFolder: string }> {
  const fake = await installFakeCli();
  const temporaryFolder = realpathSync(mkdtempSync(join(tmpdir(), "cli-test-")));
  beforeEach(() => fake.setScenario({}));
  afterAll(() => {
    fake.close();
    rmSync(temporaryFolder, { recursive: true });
  });
  return { fake, temporaryFolder };
}
