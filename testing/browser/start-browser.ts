import { type Browser, chromium } from "playwright-core";
import { findChromium } from "./find-chromium.js";

/** What a browser would ask for by itself is turned off: only the page is to be heard on the network. */
const quiet = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--no-first-run",
];

/** Debian's Chromium without a window. Its sandbox needs rights that containers do not have. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: quiet, chromiumSandbox: false });
}
