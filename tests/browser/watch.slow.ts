import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { StagedPage } from "../../testing/browser/staged-page.js";
import { startBrowser } from "../../testing/browser/start-browser.js";

/** What would go wrong in a page, each in a page of its own. */
const pages: Record<string, string> = {
  "/quiet": "<p>Nothing to hear.</p>",
  "/warning": "<script>console.warn('a warning')</script>",
  "/error": "<script>console.error('an error')</script>",
  "/thrown": "<script>setTimeout(() => { throw new Error('thrown') })</script>",
  "/rejected": "<script>Promise.reject(new Error('rejected'))</script>",
  "/missing": "<img src='/no-such-picture'>",
  "/inline": "<script>this is not even run</script>",
  "/elsewhere": "<img src='http://127.0.0.1:9/'>",
  "/dialog": "<script>alert('a dialog')</script>",
};

let server: Server;
let url = "";
let browser: Browser;
beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? "";
    const page = pages[path];
    response.statusCode = page === undefined ? 404 : 200;
    response.setHeader("content-type", "text/html");
    if (path === "/inline") response.setHeader("content-security-policy", "script-src 'self'");
    response.end(`<!doctype html><link rel="icon" href="data:,">${page ?? ""}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Resolves with what the watch has found when it has found something. */
async function faultsOf(path: string): Promise<readonly string[]> {
  const staged = await StagedPage.open(browser, url + path);
  if (path !== "/quiet") await expect.poll(() => staged.watch.faults.length).toBeGreaterThan(0);
  await staged.close();
  return staged.watch.faults;
}

it.each([
  ["/warning", /^console warning: a warning/],
  ["/error", /^console error: an error/],
  ["/thrown", /^error: .*thrown/],
  ["/rejected", /^error: .*rejected/],
  ["/missing", /^console error: .*404/],
  ["/inline", /^console error: .*script-src/],
  ["/elsewhere", /^request elsewhere: http:\/\/127\.0\.0\.1:9\//],
  ["/dialog", /^dialog: a dialog/],
])("what goes wrong in %s is noticed", async (path, fault) => {
  expect(await faultsOf(path)).toContainEqual(expect.stringMatching(fault));
});

it("nothing is found in a page in which nothing goes wrong", async () => {
  expect(await faultsOf("/quiet")).toEqual([]);
});
