import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { pageLink } from "./page-link.js";
import { startSampleGateway } from "./sample-gateway.js";
import { type SceneName, scenes } from "./scenes.js";
import { type PageOptions, StagedPage, sizes } from "./staged-page.js";
import { startBrowser } from "./start-browser.js";

const docsFolder = fileURLToPath(new URL("../../docs/pictures", import.meta.url));
/** The pictures of README and guide. README's also has a dark version. */
const docsPictures = {
  light: ["now", "request", "usage", "models", "clients", "playground"],
  dark: ["request"],
} satisfies Record<string, SceneName[]>;
/** Twice the desk's resolution for sharp text, and a little higher, so that all of Now is on it. */
const docsWindow = { width: 1440, height: 960, deviceScaleFactor: 2, mobile: false };
const DOCS_QUALITY = 50;
/** A window is made as high as its view, up to this. */
const MOST_HEIGHT_PX = 2_400;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { docs: { type: "boolean" } } });
const folder = values.docs ? docsFolder : (positionals[0] ?? join(tmpdir(), "curlew-screenshots"));
mkdirSync(folder, { recursive: true });

const gateway = await startSampleGateway();
const browser = await startBrowser();
try {
  await (values.docs ? takeThoseOfDocs() : takeAll());
} finally {
  await browser.close();
  await gateway.close();
}
process.stdout.write(`${folder}\n`);

async function takeAll(): Promise<void> {
  for (const theme of ["light", "dark"] as const) {
    for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) {
      await withPage({ theme, size }, async (staged) => {
        const { page } = staged;
        for (const name of Object.keys(scenes) as SceneName[]) {
          await page.setViewportSize(sizes[size]);
          await scenes[name](staged, gateway);
          await page.setViewportSize({ ...sizes[size], height: await wholeHeight(page, sizes[size].height) });
          await page.screenshot({ path: join(folder, `${name}-${sizes[size].width}-${theme}.png`) });
        }
      });
    }
  }
}

async function takeThoseOfDocs(): Promise<void> {
  for (const theme of ["light", "dark"] as const) {
    await withPage({ theme }, async (staged) => {
      const devTools = await staged.page.context().newCDPSession(staged.page);
      await devTools.send("Emulation.setDeviceMetricsOverride", docsWindow);
      for (const name of docsPictures[theme]) {
        await scenes[name](staged, gateway);
        const shot = { format: "webp", quality: DOCS_QUALITY } as const;
        const { data } = await devTools.send("Page.captureScreenshot", shot);
        writeFileSync(join(folder, `${name}-${theme}.webp`), Buffer.from(data, "base64"));
      }
    });
  }
}

async function withPage(options: PageOptions, use: (staged: StagedPage) => Promise<void>): Promise<void> {
  const staged = await StagedPage.open(browser, await pageLink(gateway.home, gateway.url), {
    ...options,
    reducedMotion: "reduce",
  });
  await use(staged);
  for (const fault of staged.watch.faults) process.stdout.write(`${fault}\n`);
  await staged.close();
}

/** A picture stitched from scrolled parts would have empty rows, and sticky elements in its middle. */
async function wholeHeight(page: Page, leastPx: number): Promise<number> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  return Math.min(Math.max(height, leastPx), MOST_HEIGHT_PX);
}
