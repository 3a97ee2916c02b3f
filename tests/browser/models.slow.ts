import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import type { StagedPage } from "../../testing/browser/staged-page.js";
import { playTraffic } from "../../testing/browser/traffic.js";
import { chat } from "../../testing/clients/tool-client.js";

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

  it("have their abilities, context and price", async () => {
    const opus = staged.page
      .getByRole("listitem")
      .or(staged.page.getByRole("row"))
      .filter({ hasText: "Claude Opus 4.8" });
    const text = (await opus.first().textContent()) ?? "";
    for (const part of ["thinks", "sees images", "low", "high", "200k", "1M", "$5.00", "$25.00"]) {
      expect(text).toContain(part);
    }
  });

  it("can be searched", async () => {
    await staged.page.getByRole("searchbox").fill("gemini");
    await shows(staged.page.getByText("1 of 8 models").or(staged.page.getByText("1 model")).first());
    expect(await staged.page.getByText("Composer 2.5", { exact: true }).count()).toBe(0);
    await staged.page.getByRole("searchbox").fill("");
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

  it("are announced once they reach the gateway", async () => {
    await chat(stage.system.url, [{ role: "user", content: "[[say Hello.]]" }], {
      headers: { "user-agent": "Zed/0.200.0" },
    });
    await shows(staged.page.getByRole("status").filter({ hasText: /Zed has reached the gateway/ }));
  });

  it("of other kinds have a sample program", async () => {
    const card = staged.page.getByRole("region", { name: "Anything else" });
    const code = await card
      .getByRole("region", { name: /the program for/ })
      .locator("pre")
      .textContent();
    expect(code).toContain(`${stage.system.url}/v1/chat/completions`);
  });
});
