import { afterAll, beforeAll, expect, it } from "vitest";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import { viewTitles } from "../../testing/browser/staged-page.js";
import { chat, tool } from "../../testing/clients/tool-client.js";

const CLIENT = "<img/src=x/onerror=owned=1>";
const MODEL = "<script>owned=2</script>\u202egpt";

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
  const headers = { "user-agent": `${CLIENT}/1.0` };
  const say = (content: string, extras: object = {}) =>
    chat(stage.system.url, [{ role: "user", content }], { headers, ...extras }).catch(() => {});
  await say("[[say Hello.]]");
  await say("hi", { model: MODEL });
  await say("[[notice <b>Look</b>]] [[fail internal]]");
  // Stays parked while the page is open.
  await say("[[call look {}]]", { tools: [tool("look")] });
});
afterAll(() => stage?.close());

it("foreign names and messages are rendered as text in every view", async () => {
  const staged = await stage.open();
  const { page } = staged;
  const foreign = () => page.locator("img[onerror], #page script, script:not([src]), iframe").count();
  for (const title of viewTitles) {
    await staged.show(title);
    expect(await foreign(), title).toBe(0);
  }
  await staged.show("Requests");
  await shows(page.getByRole("listitem").getByText(CLIENT).first());
  const failed = page.getByRole("listitem").getByRole("link").filter({ hasText: "<script>" });
  await shows(failed);
  await failed.click();
  await shows(page.getByRole("article").getByRole("heading", { level: 2 }).filter({ hasText: "<script>" }));
  expect(await foreign()).toBe(0);
  await staged.show("Usage");
  await shows(
    page
      .getByRole("region", { name: "By client" })
      .getByText(/onerror/)
      .first(),
  );
  await page.goto(`${stage.system.url}/#/models/clients`);
  await shows(page.getByRole("region", { name: "Other clients that were seen" }).getByText(CLIENT));
  expect(await foreign()).toBe(0);
  expect(await page.evaluate(() => Reflect.get(window, "owned"))).toBeUndefined();
  expect(stage.takeFaults()).toEqual([]);
});

it("a hostile hash in the address runs nothing", async () => {
  const staged = await stage.open();
  const { page } = staged;
  for (const hash of [
    "#/requests/<script>owned=3</script>",
    "#/javascript:owned=4",
    "#/usage?range=<b>&measure=constructor",
  ]) {
    staged.watch.allow(/404/);
    await page.goto(`${stage.system.url}/${hash}`);
    await staged.settled();
    expect(await page.locator("script:not([src]), #page script").count()).toBe(0);
  }
  expect(await page.evaluate(() => Reflect.get(window, "owned"))).toBeUndefined();
  expect(stage.takeFaults()).toEqual([]);
});
