import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installFakeCli } from "../../../simulator/cli/install.js";
import { systemClock } from "../../clock.js";
import { type BackendUnderTest, describeBackend } from "../backend.cases.js";
import { skips } from "../skips.cases.js";
import { createCliBackend } from "./index.js";

describeBackend("cli/print", { start, startCut: () => start({ splitUtf8: true }), skips: skips["cli/print"] });

async function start(scenario: { splitUtf8?: boolean } = {}): Promise<BackendUnderTest> {
  const fake = await installFakeCli(scenario);
  const temporaryFolder = await mkdtemp(join(tmpdir(), "cli-cases-"));
  const backend = createCliBackend({
    cliPath: fake.command,
    env: { PATH: process.env.PATH, HOME: temporaryFolder },
    homeDirectory: temporaryFolder,
    temporaryFolder,
    authCheckTimeoutMs: 5_000,
    workspaceRoots: [],
    clock: systemClock,
    log: { info() {}, warn() {} },
  });
  return {
    backend,
    async stop() {
      await backend.close();
      for (const folder of [fake.folder, temporaryFolder]) await rm(folder, { recursive: true, force: true });
    },
  };
}
