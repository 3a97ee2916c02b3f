import { type Browser, chromium } from "playwright-core";
import { findProgram } from "../programs/find-program.js";

/** Turns off the browser's own requests, so that only those of the page are on the network. */
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
  return chromium.launch({ executablePath: await findProgram("chromium"), args: quiet, chromiumSandbox: false });
}
