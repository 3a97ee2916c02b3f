import { type RegisteredBackend, registry } from "../../backends/registry.js";
import { systemClock } from "../../clock.js";
import { thisMachine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.js";

/** Checks whether the backends that turns may go to have what they need on this machine; some need only the account. */
export async function* checkBackends(names: readonly RegisteredBackend[], settings: Settings): AsyncGenerator<Finding> {
  const parts = { settings, machine: thisMachine(), clock: systemClock };
  for (const name of names) {
    const entry = registry[name];
    if ("ownLogin" in entry) {
      const report = await (await entry.ownLogin()).report(parts);
      yield report.isUsable ? ok(name, `${report.what}.`) : fail(name, reasonOf(report.why), report.fix);
    }
    if ("caveat" in entry) yield warn(name, entry.caveat, "curlew serve --backend agent");
  }
}
