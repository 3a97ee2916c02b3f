import { rm } from "node:fs/promises";
import { openBackend } from "../../../../testing/backends/open-backend.js";
import { installFakeCli } from "../../../../testing/simulator/installed-cli.js";
import { type BackendUnderTest, describeBackend } from "../backend.cases.js";
import { skips } from "../skips.cases.js";

for (const cliMode of ["print", "acp"] as const) {
  const name = `cli/${cliMode}` as const;
  const start = async (scenario: { splitUtf8?: boolean } = {}): Promise<BackendUnderTest> => {
    const fake = await installFakeCli(scenario);
    const { backend, stop } = await openBackend("cli", { cliMode, cliPath: fake.command });
    return {
      backend,
      async stop() {
        await stop();
        await rm(fake.folder, { recursive: true, force: true });
      },
    };
  };
  describeBackend(name, { start, startCut: () => start({ splitUtf8: true }), skips: skips[name] });
}
