import { rm } from "node:fs/promises";
import { openBackend } from "../../../testing/backends/open-backend.js";
import { installFakeCli } from "../../../testing/simulator/installed-cli.js";
import { type BackendUnderTest, describeBackend } from "../backend.cases.js";
import { skips } from "../skips.cases.js";

describeBackend("cli/print", { start, startCut: () => start({ splitUtf8: true }), skips: skips["cli/print"] });

async function start(scenario: { splitUtf8?: boolean } = {}): Promise<BackendUnderTest> {
  const fake = await installFakeCli(scenario);
  const { backend, stop } = await openBackend("cli", { cliMode: "print", cliPath: fake.command });
  return {
    backend,
    async stop() {
      await stop();
      await rm(fake.folder, { recursive: true, force: true });
    },
  };
}
