import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { pageLink } from "./page-link.js";
import { pictures } from "./pictures.js";
import { startSampleGateway } from "./sample-gateway.js";
import { StagedPage, sizes } from "./staged-page.js";
import { startBrowser } from "./start-browser.js";
import { toWebp } from "./to-webp.js";

const MAX_HEIGHT = 3_000;
const MAX_BYTES = 150 * 1024;
/** Those of README and guide, by picture: in which sizes, each in both themes. */
const inDocs: Readonly<Record<string, readonly (keyof typeof sizes)[]>> = {
  now: ["desk", "phone"],
  request: ["desk", "phone"],
  usage: ["desk", "phone"],
  clients: ["desk"],
  playground: ["desk"],
};

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { docs: { type: "boolean", default: false } },
});
const usual = flags.docs
  ? fileURLToPath(new URL("../../docs/pictures/", import.meta.url))
  : join(tmpdir(), "curlew-screenshots");
const folder = positionals[0] ?? usual;
mkdirSync(folder, { recursive: true });

const gateway = await startSampleGateway();
const browser = await startBrowser();
try {
  const faults: string[] = [];
  for (const theme of ["light", "dark"] as const) {
    for (const size of Object.keys(sizes) as (keyof typeof sizes)[]) faults.push(...(await takeAll(theme, size)));
  }
  process.stdout.write(`${folder}\n`);
  if (faults.length > 0) throw new Error(faults.join("\n"));
} finally {
  await browser.close();
  await gateway.close();
}

/** Returns what went wrong in the page meanwhile. */
async function takeAll(theme: "light" | "dark", size: keyof typeof sizes): Promise<readonly string[]> {
  const link = await pageLink(gateway.home, gateway.url);
  // Where space counts, a sharp picture of what is seen first; else all of the view.
  const scale = flags.docs ? 1.5 : 1;
  const staged = await StagedPage.open(browser, link, { theme, size, scale, reducedMotion: "reduce" });
  await staged.settled();
  for (const { name, deskHeight, show, leave } of pictures(gateway.ids)) {
    if (flags.docs && inDocs[name]?.includes(size) !== true) continue;
    await show(staged);
    const wholeHeight = await staged.page.evaluate(() => document.documentElement.scrollHeight);
    const usualHeight = size === "desk" ? deskHeight : sizes[size].height;
    const png = await takePicture(staged.page, size, flags.docs ? usualHeight : Math.min(wholeHeight, MAX_HEIGHT));
    await leave?.(staged);
    const path = join(folder, `${name}-${sizes[size].width}-${theme}`);
    if (!flags.docs) writeFileSync(`${path}.png`, png);
    else {
      const webp = await toWebp(browser, png);
      if (webp.length > MAX_BYTES) throw new Error(`${path}.webp is too large: ${webp.length} bytes.`);
      writeFileSync(`${path}.webp`, webp);
    }
  }
  await staged.close();
  return staged.watch.faults;
}

/** The window is made as high as the picture, so that what is fixed to its edges is there. */
async function takePicture(page: Page, size: keyof typeof sizes, height: number): Promise<Buffer> {
  await page.setViewportSize({ ...sizes[size], height });
  const png = await page.screenshot();
  await page.setViewportSize(sizes[size]);
  return png;
}
