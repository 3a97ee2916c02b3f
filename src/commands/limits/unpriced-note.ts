import { modelsFile } from "../../app/prepare/own-files.js";
import { registeredBackends } from "../../backends/registry.js";
import type { Settings } from "../../config/settings.js";
import { keptModels, shownName } from "../../models/index.js";
import { createPrices } from "../../prices/index.js";
import { folded } from "../../terminal/table.js";

export function noteUnpriced(settings: Settings): void {
  const { priceOf } = createPrices(settings.prices);
  const names = registeredBackends.flatMap((name) => keptModels(modelsFile(settings, name)).map(shownName));
  const unpriced = [...new Set(names)].filter((name) => priceOf(name) === undefined);
  const known = unpriced.length === 0 ? "" : `: ${unpriced.join(", ")}`;
  const said = `A limit in dollars does not count models without a price${known}. Set one in tokens as well, or give them a price in the setting prices.\n`;
  process.stderr.write(folded(process.stderr, said));
}
