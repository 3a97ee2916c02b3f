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
  await staged.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await staged.show("Models");
});
afterAll(() => stage?.close());
afterEach(() => expect(staged.watch.faults).toEqual([]));

const tab = (name: string) => staged.page.getByRole("tab", { name }).click();
const copied = () => staged.page.evaluate(() => navigator.clipboard.readText());

describe("the models", () => {
  it("are those of /v1/models, each with a name to copy", async () => {
    await tab("Models");
    const answer = await fetch(`${stage.system.url}/v1/models`);
    const listed: { data: { id: string }[] } = await answer.json();
    const shown = await staged.page.getByRole("region", { name: "All models" }).locator("code").allTextContents();
    expect(shown.length).toBeGreaterThan(5);
    for (const id of shown) expect(listed.data.map((model) => model.id)).toContain(id);
    await staged.page.getByRole("button", { name: "Copy gpt-5.5-medium" }).click();
    await expect.poll(copied).toBe("gpt-5.5-medium");
  });
});

describe("the clients", () => {
  it("have the addresses of this gateway", async () => {
    await tab("Clients");
    const card = staged.page.getByRole("region", { name: "Point a client here" });
    await shows(card.getByText(`${stage.system.url}/v1`, { exact: true }));
    await shows(card.getByText(stage.system.url, { exact: true }));
    await card.getByRole("button", { name: "Copy the base URL for OpenAI-compatible clients" }).click();
    await expect.poll(copied).toBe(`${stage.system.url}/v1`);
  });

  it("that were seen are listed with their number of requests", async () => {
    const requests = (await stage.logged("--client", "opencode")).length;
    const seen = staged.page.getByRole("region", { name: "Seen here" });
    await shows(seen.getByRole("listitem").filter({ hasText: "OpenCode" }).getByText(`${requests} requests`));
    await shows(seen.getByRole("listitem").filter({ hasText: "Claude Code" }).getByText("1 request"));
    const others = staged.page.getByRole("region", { name: "Other clients that were seen" });
    await shows(others.getByText("python-requests", { exact: true }));
  });

  it("have their setup command, and their settings for this gateway", async () => {
    const item = staged.page.getByRole("listitem").filter({ hasText: "OpenCode" }).first();
    await item.getByRole("heading", { name: "OpenCode" }).click();
    await shows(
      item.getByRole("region", { name: "the command that sets up OpenCode" }).getByText("curlew setup opencode"),
    );
    const settings = item.getByRole("region", { name: "the settings of OpenCode" });
    await shows(settings);
    expect(await settings.textContent()).toContain(stage.system.url);
    await item.getByRole("button", { name: "Copy the settings of OpenCode" }).click();
    await expect.poll(async () => Object.keys(JSON.parse(await copied()))).toContain("provider");
  });
});
