import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { pageLink } from "../../testing/browser/page-link.js";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import { StagedPage, viewTitles } from "../../testing/browser/staged-page.js";
import { startBrowser } from "../../testing/browser/start-browser.js";
import { chat } from "../../testing/clients/tool-client.js";
import { startTestGateway } from "../../testing/gateway/whole-system.js";
import { startSimulator } from "../../testing/simulator/strict-simulator.js";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

/** Short enough that all views together stay below the interval of polling a silent gateway. */
const SOME_MS = 10_000;
const A_FEW_FRAMES_MS = 100;
const SIMULATED = "Simulated answers. For real models: curlew login";

describe("a gateway that stops", () => {
  it("is shown as offline beside the last state; the page recovers when it is back", async () => {
    const home = mkdtempSync(join(tmpdir(), "curlew-browser-"));
    const simulator = await startSimulator();
    onTestFinished(async () => {
      await simulator.close();
      rmSync(home, { recursive: true, force: true });
    });
    const start = (port?: number) => {
      const settings = { backendUrl: simulator.url, apiKey: "crsr_browser", logLevel: "silent" } as const;
      return startTestGateway({ home, ...(port !== undefined && { port }), settings });
    };
    let gateway = await start();
    onTestFinished(() => gateway.close());
    const { url } = gateway;
    await chat(url, [{ role: "user", content: "[[say One.]]" }]);
    const staged = await StagedPage.open(browser, await pageLink(home, url));
    const { page, watch } = staged;
    await shows(page.getByText("1 request", { exact: true }));
    await shows(page.getByText("Live", { exact: true }));
    expect(watch.faults).toEqual([]);

    watch.allow(/net::ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY_RESPONSE)/);
    await gateway.close();
    await shows(page.getByRole("alert").filter({ hasText: "does not answer" }));
    await shows(page.getByText("Offline", { exact: true }));
    await shows(page.getByText("1 request", { exact: true }));
    // Other views show it too, with a way to retry.
    await page.getByRole("link", { name: "Usage" }).click();
    await shows(page.getByRole("button", { name: "Try again" }).first());
    await page.getByRole("link", { name: "Now" }).click();

    gateway = await start(Number(new URL(url).port));
    await chat(url, [{ role: "user", content: "[[say Two.]]" }]);
    await shows(page.getByText("Live", { exact: true }));
    await shows(page.getByText("2 requests", { exact: true }));
    await expect.poll(() => page.getByRole("alert").allTextContents()).toEqual([]);
    await staged.show("Usage");
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(watch.faults).toEqual([]);
  });
});

describe("an unused gateway", () => {
  it("shows in its views what to do, and does not mention simulation when it speaks to Cursor", async () => {
    const stage = await Stage.start();
    onTestFinished(() => stage.close());
    const staged = await stage.open();
    const { page } = staged;
    for (const title of viewTitles) {
      await staged.show(title);
      expect(await page.getByText(/NaN|undefined|null|Infinity|[Ss]imulated/).count(), title).toBe(0);
    }
    await staged.show("Now");
    await shows(page.getByText("No requests today"));
    await shows(page.getByText("curlew setup", { exact: true }));
    for (const title of ["Requests", "Usage"] as const) {
      await staged.show(title);
      await shows(page.getByText(/curlew setup|127\.0\.0\.1/).first());
    }
    expect(stage.takeFaults()).toEqual([]);
  });
});

describe("the notice of a simulated gateway", () => {
  it("is visible in every view", async () => {
    const stage = await Stage.start({ backend: "simulator" });
    onTestFinished(() => stage.close());
    const staged = await stage.open();
    for (const title of viewTitles) {
      await staged.show(title);
      expect(await staged.page.getByText(SIMULATED).isVisible(), title).toBe(true);
    }
    const phone = await stage.open({ size: "phone" });
    await shows(phone.page.getByText(SIMULATED));
    const { page } = await stage.visit(stage.system.url);
    await shows(page.getByText(SIMULATED));
    expect(stage.takeFaults()).toEqual([]);
  });
});

describe("an idle page", () => {
  it("sends no requests and draws nothing", async () => {
    const stage = await Stage.start();
    onTestFinished(() => stage.close());
    await chat(stage.system.url, [{ role: "user", content: "[[say One.]]" }]);
    const staged = await StagedPage.open(browser, stage.system.url);
    const { page, watch } = staged;
    // Fake timers, so that the test does not have to wait.
    await page.clock.install();
    await page.goto("about:blank");
    await page.goto(await stage.link());
    for (const title of viewTitles) {
      await staged.show(title);
      await page.evaluate(() => {
        const changes: string[] = [];
        Object.assign(globalThis, { changes });
        const note = (records: MutationRecord[]) => {
          for (const { type, target, oldValue } of records) {
            // A text that is set to itself draws nothing.
            if (type === "characterData" && oldValue === target.textContent) continue;
            changes.push(`${type} ${target.parentElement?.outerHTML.slice(0, 120)} was ${oldValue}`);
          }
        };
        new MutationObserver(note).observe(document.body, {
          subtree: true,
          childList: true,
          characterData: true,
          characterDataOldValue: true,
          attributes: true,
        });
      });
      const changes = () => page.evaluate(() => (Reflect.get(globalThis, "changes") as string[]).splice(0));
      // Requests from opening the view may still be pending.
      await expect
        .poll(async () => {
          const waiting = watch.unanswered.size;
          await page.clock.runFor(A_FEW_FRAMES_MS);
          return [waiting, ...(await changes())];
        })
        .toEqual([0]);
      const asked = watch.requests.length;
      await page.clock.runFor(SOME_MS);
      expect(await changes(), title).toEqual([]);
      expect(watch.requests.slice(asked), title).toEqual([]);
    }
  });
});
