import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { seriousFaults } from "../../testing/browser/axe.js";
import { missedControls, tabStops } from "../../testing/browser/keyboard.js";
import { Stage } from "../../testing/browser/stage.js";
import { type PageOptions, type StagedPage, viewTitles } from "../../testing/browser/staged-page.js";
import { holdRequest, type PlayedTraffic, playTraffic } from "../../testing/browser/traffic.js";

let stage: Stage;
let played: PlayedTraffic;
let leave: (() => Promise<void>) | undefined;

beforeAll(async () => {
  stage = await Stage.start();
  played = await playTraffic(stage.system.url);
  leave = holdRequest(stage.system.url, { headers: { "user-agent": "zed/0.200.0" } });
});
afterAll(async () => {
  await leave?.();
  await stage?.close();
});
afterEach(() => expect(stage.takeFaults()).toEqual([]));

const looks: PageOptions[] = [
  { size: "desk", theme: "light" },
  { size: "desk", theme: "dark" },
  { size: "phone", theme: "light" },
  { size: "phone", theme: "dark" },
];

/** Shows every view in turn, and then the details of a request. */
async function* everyView(staged: StagedPage): AsyncGenerator<string> {
  for (const title of viewTitles) {
    await staged.show(title);
    yield title;
  }
  await staged.page.goto(`${stage.system.url}/#/requests/${played.toolTurn[2]}`);
  await staged.page.getByRole("region", { name: "Timeline" }).waitFor();
  await staged.settled();
  yield "a request";
}

describe.each(looks)("on a $size, in the $theme", (look) => {
  it("axe finds nothing serious in any view, and no view scrolls sideways", async () => {
    const staged = await stage.open(look);
    const faults: string[] = [];
    const widths: Record<string, number> = {};
    for await (const view of everyView(staged)) {
      faults.push(...(await seriousFaults(staged.page)).map((fault) => `${view}: ${fault}`));
      widths[view] = await staged.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    }
    expect(faults).toEqual([]);
    expect(Object.values(widths)).toHaveLength(6);
    expect(Object.entries(widths).filter(([, wider]) => wider > 0)).toEqual([]);
    await staged.close();
  });
});

describe("axe", () => {
  it("finds nothing serious at the door, and does detect a planted fault", async () => {
    const { page } = await stage.visit(stage.system.url);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.evaluate(() => document.querySelector("main")?.append(document.createElement("button")));
    expect(await seriousFaults(page)).toEqual([expect.stringContaining("button-name")]);
  });
});

describe.each(["desk", "phone"] as const)("the Tab key, on a %s", (size) => {
  it("reaches every control of every view, each with a visible focus", async () => {
    const staged = await stage.open({ size });
    for await (const view of everyView(staged)) {
      const stops = await tabStops(staged.page);
      expect(stops.length, view).toBeGreaterThan(7);
      expect(
        stops.filter(({ isSeen, isMarked }) => !isSeen || !isMarked),
        view,
      ).toEqual([]);
      expect(await missedControls(staged.page), view).toEqual([]);
    }
    await staged.close();
  });
});

describe("a browser that prefers reduced motion", () => {
  /** Running animations, and elements whose computed style could animate. */
  const moving = (staged: StagedPage) =>
    staged.page.evaluate(() => ({
      running: document.getAnimations().length,
      styled: [...document.querySelectorAll("*")].filter((element) => {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element);
        const changes = transitionDuration.split(",").some((time) => Number.parseFloat(time) > 0);
        return animationName !== "none" || changes || scrollBehavior === "smooth";
      }).length,
    }));

  it("gets a page on which nothing moves", async () => {
    const still = await stage.open({ reducedMotion: "reduce" });
    for await (const view of everyView(still)) {
      expect(await moving(still), view).toEqual({ running: 0, styled: 0 });
    }
    const usual = await stage.open();
    expect((await moving(usual)).styled).toBeGreaterThan(0);
  });
});
