import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import type { StagedPage } from "../../testing/browser/staged-page.js";
import { playTraffic } from "../../testing/browser/traffic.js";

let stage: Stage;
let staged: StagedPage;

beforeAll(async () => {
  stage = await Stage.start();
  await playTraffic(stage.system.url);
  staged = await stage.open();
});
afterAll(() => stage?.close());
afterEach(() => expect(staged.watch.faults).toEqual([]));

const card = (name: string) => staged.page.getByRole("region", { name, exact: true });

describe("Now", () => {
  it("stops all runs after a confirmation", async () => {
    expect(stage.system.simulator.stats().runsOpen).toBe(1);
    await card("Running now").getByRole("button", { name: "Stop all runs" }).click();
    const dialog = staged.page.getByRole("dialog", { name: "Stop 1 waiting run" });
    await dialog.getByRole("button", { name: "Keep running" }).click();
    await expect.poll(() => dialog.isVisible()).toBe(false);
    await card("Running now").getByRole("button", { name: "Stop all runs" }).click();
    await dialog.getByRole("button", { name: "Stop all" }).click();
    await shows(card("Running now").getByText("Stopped 1 waiting run"));
    await expect.poll(() => stage.system.simulator.stats().runsOpen).toBe(0);
    await expect.poll(() => card("Running now").getByRole("list").count()).toBe(0);
  });
});
