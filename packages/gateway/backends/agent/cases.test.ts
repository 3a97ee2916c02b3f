import { openOnSimulator } from "../../../../testing/backends/open-backend.js";
import { describeBackend } from "../backend.cases.js";
import { skips } from "../skips.cases.js";

for (const transport of ["h2", "h1"] as const) {
  const backend = `agent/${transport}` as const;
  const start = ({ cuts = false } = {}) =>
    openOnSimulator("agent", { simulator: { transport }, settings: { transport, retries: 0 }, cuts });
  describeBackend(backend, { start, startCut: () => start({ cuts: true }), skips: skips[backend] });
}
