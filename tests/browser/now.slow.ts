import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { dollars, shortCount } from "../../packages/gateway/system/format.js";
import { numbersIn, readUsage } from "../../testing/browser/read-usage.js";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import type { StagedPage } from "../../testing/browser/staged-page.js";
import { holdRequest, playTraffic } from "../../testing/browser/traffic.js";

const program = fileURLToPath(new URL("../../testing/programs/mcp-server.js", import.meta.url));
const server = (...args: string[]) => ({ command: process.execPath, args: [program, ...args], timeoutMs: 60_000 });

let stage: Stage;
let staged: StagedPage;

beforeAll(async () => {
  stage = await Stage.start({ mcp: { servers: { notes: server(), lost: server("broken") } } });
  await playTraffic(stage.system.url);
  staged = await stage.open();
});
afterAll(() => stage?.close());
afterEach(() => expect(staged.watch.faults).toEqual([]));

const card = (name: string) => staged.page.getByRole("region", { name, exact: true });
const usage = () => readUsage(stage.system.url, "day", 1);

/** The figure with this label in the Today card. */
const figure = async (label: string) => {
  const parts = card("Today").locator(".figure").filter({ hasText: label }).first().locator("> *");
  const [, value = "", note = ""] = await parts.allTextContents();
  return { value, note };
};

describe("Now", () => {
  it("sums up the state in a sentence", async () => {
    await shows(staged.page.getByRole("heading", { level: 1, name: /^Now: It works/ }));
    expect(await staged.page.title()).toContain("Now");
  });

  it("has the same sums for today as /v1/usage", async () => {
    const { total } = await usage();
    expect(total).toMatchObject({ requests: 19, failures: 3, estimated_turns: 3 });
    const counts = card("Today").getByRole("link", { name: /request/ });
    await expect.poll(async () => numbersIn(await counts.textContent())).toEqual([total.requests, total.failures]);

    const label = await card("Today").getByRole("img", { name: "Tokens today" }).getAttribute("aria-label");
    const parts = new Map(
      [...(label ?? "").matchAll(/([A-Z][a-z ]+) ([\d,]+)/g)].map(([, name, tokens]) => [
        name,
        Number(tokens?.replaceAll(",", "")),
      ]),
    );
    expect(parts).toEqual(
      new Map([
        ["Cached input", total.cache_read_tokens],
        ["New input", total.input_tokens - total.cache_read_tokens],
        ["Output", total.output_tokens - total.reasoning_tokens],
        ["Reasoning", total.reasoning_tokens],
      ]),
    );

    expect(await figure("Cost")).toEqual({
      value: dollars(total.cost.dollars ?? -1),
      note: "at list prices",
    });
    expect((await figure("Tokens")).value).toBe(shortCount(total.input_tokens + total.output_tokens));
    expect((await figure("Saved by the cache")).value).toBe(shortCount(total.saved_tokens));
    const warm = await figure("Warm replies");
    expect(warm.value).toBe(`${Math.round((total.warm_share ?? -1) * 100)}%`);
    expect(numbersIn(warm.note)).toEqual([total.warm_replies, total.warm_replies + total.cold_replies]);
    await shows(card("Today").getByText(`sent no figures for ${total.estimated_turns} turns`));
  });

  it("shows the pools of the plan as Cursor reports them", async () => {
    const { plan } = await usage();
    for (const [name, percent] of [
      ["Cursor Models", plan?.auto_percent_used],
      ["Other Models", plan?.api_percent_used],
      ["Total", plan?.percent_used],
    ] as const) {
      const bar = card("Plan").getByRole("img", { name: `${name}: ${percent}%` });
      await shows(bar);
      // The length of the bar matches its label.
      const [whole, filled] = await bar.evaluate((element) =>
        [element, element.firstElementChild ?? element].map((each) => each.getBoundingClientRect().width),
      );
      expect(Math.abs((filled ?? 0) - ((whole ?? 0) * (percent ?? -1)) / 100)).toBeLessThan(1);
    }
  });

  it("shows the parked run with the time left of its lease", async () => {
    const waiting = card("Running now").getByRole("list", { name: "Waiting runs" }).getByRole("listitem");
    expect(await waiting.count()).toBe(1);
    expect(await waiting.textContent()).toMatch(/gpt-5\.5-medium.*opencode\/1\.4\.2.*1 call.*\d+ min left/);
    expect(await waiting.getByRole("link").getAttribute("href")).toBe("#/requests/waiting");
  });

  it("shows the health of the backend and of each MCP server, and counts unknown messages from Cursor", async () => {
    const states = card("Health").getByRole("listitem");
    await shows(states.filter({ hasText: "Backend agent" }).filter({ hasText: "Answered" }));
    await shows(states.filter({ hasText: "MCP server notes" }).filter({ hasText: /\d+ tools/ }));
    await shows(states.filter({ hasText: "MCP server lost" }));
    await shows(states.filter({ hasText: "1 unknown" }));
    expect(await states.filter({ hasText: "MCP server lost" }).textContent()).not.toMatch(/\d+ tools/);
  });

  it("shows a running request, and counts it when it ends", async () => {
    const before = (await usage()).total.requests;
    const headers = { "user-agent": "zed/0.200.0", "x-request-id": "shown-live" };
    const leave = holdRequest(stage.system.url, { headers });
    const row = card("Running now").getByRole("listitem").filter({ hasText: "zed/0.200.0" });
    await shows(row.getByText("Streaming"));
    expect(await row.getByRole("link").getAttribute("href")).toBe("#/requests/shown-live");
    await leave();
    await shows(row.getByText("The client left"));
    const counts = card("Today").getByRole("link", { name: /request/ });
    await expect.poll(async () => numbersIn(await counts.textContent())[0]).toBe(before + 1);
  });

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
