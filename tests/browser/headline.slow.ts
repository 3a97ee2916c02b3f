import { afterEach, describe, expect, it } from "vitest";
import { limitsFile } from "../../packages/cli/app/prepare/own-files.js";
import { writeLimits } from "../../packages/meter/spend/index.js";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import type { StagedPage } from "../../testing/browser/staged-page.js";

let stage: Stage;
afterEach(() => stage.close());

async function ask(content: string): Promise<number> {
  const body = JSON.stringify({ model: "auto", messages: [{ role: "user", content }] });
  const headers = { "content-type": "application/json" };
  return (await fetch(`${stage.system.url}/v1/chat/completions`, { method: "POST", headers, body })).status;
}

const says = ({ page }: StagedPage, sentence: string) =>
  shows(page.getByRole("heading", { level: 1, name: `Now: ${sentence}` }));

describe("the headline of an open page", () => {
  it("follows the limits and the newest turns", async () => {
    stage = await Stage.start({});
    const staged = await stage.open();
    await says(staged, "Ready for requests.");
    expect(await ask("[[say yes]]")).toBe(200);
    await says(staged, "Everything works.");
    writeLimits(limitsFile({ home: stage.system.home }), { day: { requests: 2 } });
    expect(await ask("second [[say yes]]")).toBe(200);
    await says(staged, "The limit day.requests is reached: 2 of 2 requests used.");
    await shows(staged.page.getByText("curlew limits set day.requests 4"));
    writeLimits(limitsFile({ home: stage.system.home }), {});
    for (let turn = 0; turn < 3; turn++) await ask(`${turn} [[fail resource_exhausted OUTDATED_CLIENT]]`);
    await says(staged, "3 of the last 5 turns failed.");
    expect(staged.watch.faults).toEqual([]);
  });
});

it("an open page shows that the gateway's files were replaced", async () => {
  stage = await Stage.start({});
  const staged = await stage.open();
  await staged.page.route("**/admin/api/now", async (route) => {
    const response = await route.fetch();
    const now = await response.json();
    await route.fulfill({ response, json: { ...now, health: { ...now.health, isUpdated: true } } });
  });
  await staged.page.reload();
  await shows(staged.page.getByRole("status").getByText("Curlew was updated; restart it."));
});
