import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasFocus, tabTo } from "../../testing/browser/keyboard.js";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import type { StagedPage } from "../../testing/browser/staged-page.js";
import { type PlayedTraffic, playTraffic } from "../../testing/browser/traffic.js";

let stage: Stage;
let staged: StagedPage;
let played: PlayedTraffic;

beforeAll(async () => {
  stage = await Stage.start({ key: KEY });
  played = await playTraffic(stage.system.url, KEY);
});
beforeEach(async () => {
  staged = await stage.open();
});
afterEach(async () => {
  await staged.close();
  expect(stage.takeFaults()).toEqual([]);
});
afterAll(() => stage?.close());

const KEY = "a-gateway-key-0123";
const press = (key: string) => staged.page.keyboard.press(key);
const tab = (target: Locator) => tabTo(staged.page, target);
const isFocused = (target: Locator) => expect.poll(() => hasFocus(target)).toBe(true);

/** Opens a view with the keyboard. */
async function go(name: string): Promise<void> {
  await tab(staged.page.getByRole("navigation", { name: "Views" }).getByRole("link", { name }));
  await press("Enter");
  await isFocused(staged.page.getByRole("heading", { level: 1, name }));
  expect(await staged.page.title()).toMatch(new RegExp(`^${name}.* · Curlew$`));
  const current = staged.page.getByRole("navigation", { name: "Views" }).locator("[aria-current=page]");
  expect(await current.allTextContents()).toEqual([name]);
  await staged.settled();
}

describe("the keyboard alone", () => {
  it("signs in with a key", async () => {
    const { page } = await stage.visit(stage.system.url);
    await tabTo(page, page.getByLabel("gateway's own key"));
    await page.keyboard.type(KEY);
    await page.keyboard.press("Enter");
    await shows(page.getByRole("navigation", { name: "Views" }));
  });

  it("reaches every view and its heading, and skips the navigation", async () => {
    for (const name of ["Requests", "Usage", "Models", "Playground", "Now"]) await go(name);
    await staged.page.reload();
    await staged.settled();
    await press("Tab");
    await isFocused(staged.page.getByRole("button", { name: "Skip to the view" }));
    await press("Enter");
    await isFocused(staged.page.getByRole("heading", { level: 1 }));
  });

  it("opens a request, walks its timeline, and returns to its row with Escape", async () => {
    const { page } = staged;
    await go("Requests");
    const rows = page.getByRole("region", { name: "List of requests" }).getByRole("listitem").getByRole("link");
    await tab(rows.first());
    await press("ArrowDown");
    await isFocused(rows.nth(1));
    await press("End");
    await isFocused(rows.last());
    await press("Home");
    const ofTurn = page.locator(`a[href="#/requests/${played.toolTurn[2]}"]`);
    await tab(ofTurn);
    await press("Enter");
    const heading = page.getByRole("article").getByRole("heading", { level: 2 }).first();
    await isFocused(heading);
    const timeline = page.getByRole("region", { name: "Timeline" });
    await shows(timeline);
    const segments = timeline.getByRole("img");
    await tab(timeline.getByRole("button", { name: "This request" }));
    await tab(timeline.locator('[role=img][tabindex="0"]'));
    const walked = new Set<string>();
    for (let steps = 0; steps < 20; steps++) {
      walked.add((await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))) ?? "");
      await press("ArrowRight");
    }
    expect(walked.size).toBe(await segments.count());
    await press("Escape");
    await isFocused(ofTurn);
    expect(new URL(page.url()).hash).toBe("#/requests");
  });

  it("chooses a range and a measure, and reads the plot", async () => {
    const { page } = staged;
    await go("Usage");
    await tab(page.getByRole("button", { name: "30 days" }));
    await press("Enter");
    await expect.poll(() => page.getByRole("button", { name: "30 days" }).getAttribute("aria-pressed")).toBe("true");
    await tab(page.getByRole("button", { name: "Cost", exact: true }));
    await press("Space");
    const plot = page.getByRole("slider", { name: /^Cost by day/ });
    await tab(plot);
    const last = await plot.getAttribute("aria-valuenow");
    await press("ArrowLeft");
    await expect.poll(() => plot.getAttribute("aria-valuenow")).toBe(String(Number(last) - 1));
    await tab(page.getByRole("button", { name: "Show as table: Cost by day" }));
    await press("Enter");
    await shows(page.getByRole("table", { name: "Cost by day" }));
  });

  it("switches tabs with the arrow keys, and opens the settings of a client", async () => {
    const { page } = staged;
    await go("Models");
    await tab(page.getByRole("tab", { name: "Models" }));
    await press("ArrowRight");
    await isFocused(page.getByRole("tab", { name: "Clients" }));
    await shows(page.getByRole("region", { name: "Point a client here" }));
    await tab(page.getByText("OpenCode", { exact: true }).first().locator("xpath=ancestor::summary"));
    await press("Enter");
    await shows(page.getByRole("region", { name: "the command that sets up OpenCode" }));
  });

  it("cancels and confirms stopping all runs", async () => {
    const { page } = staged;
    const stop = page.getByRole("button", { name: "Stop all runs" });
    await tab(stop);
    await press("Enter");
    const dialog = page.getByRole("dialog");
    await shows(dialog);
    await press("Escape");
    await expect.poll(() => dialog.isVisible()).toBe(false);
    await isFocused(stop);
    await press("Enter");
    await tab(dialog.getByRole("button", { name: "Stop all" }));
    await press("Enter");
    await shows(page.getByText(/^Stopped \d/));
    await expect.poll(() => stage.system.simulator.stats().runsOpen).toBe(0);
  });
});
