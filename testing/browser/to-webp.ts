import type { Browser } from "playwright-core";

const QUALITY = 0.86;

/** A smaller picture of the same, made by the browser itself. */
export async function toWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const base64 = await page.evaluate(
    async ([source, quality]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${source}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      return canvas.toDataURL("image/webp", quality).replace(/^.*,/, "");
    },
    [png.toString("base64"), QUALITY] as const,
  );
  await page.close();
  return Buffer.from(base64, "base64");
}
