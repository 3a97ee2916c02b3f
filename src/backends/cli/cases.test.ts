import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCliBackend } from "../../../testing/gateway/cli-backend.js";
import { installFakeCli } from "../../../testing/simulator/installed-cli.js";
import { type BackendUnderTest, describeBackend } from "../backend.cases.js";
import { skips } from "../skips.cases.js";

describeBackend("cli/print", { start, startCut: () => start({ splitUtf8: true }), skips: skips["cli/print"] });

async function start(scenario: { splitUtf8?: boolean } = {}): Promise<BackendUnderTest> {
  const fake = await installFakeCli(scenario);
  const temporaryFolder = await mkdtemp(join(tmpdir(), "cli-cases-"));
  const backend = makeCliBackend({
    cliPath: fake.command,
    temporaryFolder,
  });
  return {
    backend,
    async stop() {
      await backend.close();
      for (const folder of [fake.folder, temporaryFolder]) await rm(folder, { recursive: true, force: true });
    },
  };
}
