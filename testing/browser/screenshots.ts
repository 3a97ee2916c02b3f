import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pageLink } from "./page-link.js";
import { startSampleGateway } from "./sample-gateway.js";
import { StagedPage, sizes } from "./staged-page.js";
import { startBrowser } from "./start-browser.js";

const { positionals } = parseArgs({ allowPositionals: true, options: { docs: { type: "boolean" } } });
const folder = positionals[0] ?? join(tmpdir(), "curlew-screenshots");
mkdirSync(folder, { recursive: true });

const gateway = await startSampleGateway();
const browser = await startBrowser();
try {
  for (const theme of ["light", "dark"] as const) {
    for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
      const staged = await StagedPage.open(browser, await pageLink(gateway.home, gateway.url), { theme, size });
      const { page } = staged;
      for (const title of ["Now", "Requests", "Usage", "Models", "Playground"] as const) {
        await staged.show(title);
        await page.screenshot({
          path: join(folder, `${title.toLowerCase()}-${sizes[size].width}-${theme}.png`),
          fullPage: true,
        });
      }
      await page.goto(`${gateway.url}/#/requests/${gateway.played.toolTurn[2]}`);
      await staged.settled();
      await page.screenshot({ path: join(folder, `request-${sizes[size].width}-${theme}.png`), fullPage: true });
      for (const fault of staged.watch.faults) process.stdout.write(`${fault}\n`);
      await staged.close();
    }
  }
} finally {
  await browser.close();
  await gateway.close();
}
process.stdout.write(`${folder}\n`);
