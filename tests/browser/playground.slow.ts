import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import type { StagedPage } from "../../testing/browser/staged-page.js";

/** `[[stream N]]` with this N is more than a megabyte of text. */
const DELTAS = 170_000;

let stage: Stage;
let staged: StagedPage;

beforeAll(async () => {
  stage = await Stage.start();
});
beforeEach(async () => {
  staged = await stage.open();
  await staged.show("Playground");
});
afterEach(async () => {
  await staged.close();
  expect(stage.takeFaults()).toEqual([]);
});
afterAll(() => stage?.close());

const replies = () => staged.page.getByRole("article", { name: /^Reply of/ });
const reply = () => replies().last();
const beside = (name: string) =>
  staged.page.getByRole("group", { name: "Beside the chat" }).getByRole("button", { name }).click();

/** Resolves when the new reply is in the list: until then, `reply()` is the one before. */
async function send(text: string): Promise<void> {
  const before = await replies().count();
  await staged.page.getByLabel("Message", { exact: true }).fill(text);
  await staged.page.getByRole("button", { name: "Send", exact: true }).click();
  await expect.poll(() => replies().count()).toBe(before + 1);
}

/** Resolves when the last reply has ended. */
async function ended(): Promise<void> {
  await expect.poll(() => reply().getAttribute("aria-busy")).toBe("false");
}

const logged = () => stage.logged("--client", "playground");

describe("the playground", () => {
  it("streams an answer, with its usage and a link to its request", async () => {
    await send("[[think First, the bird.]] [[say A curlew is a bird.]] [[usage 1234 56 789 100 12]]");
    await ended();
    await shows(reply().getByText("A curlew is a bird."));
    await shows(reply().getByText("First, the bird."));
    await shows(reply().getByText("1,234 in, 789 cached, 56 out"));
    const request = reply().getByRole("link", { name: "Request" });
    const last = (await logged()).at(-1);
    expect(await request.getAttribute("href")).toBe(`#/requests/${last?.id}`);
    expect(last).toMatchObject({ client: "playground", outcome: "ok" });
    await send("[[say It sings.]]");
    await shows(reply().getByText(/^warm$/i));
    expect((await logged()).at(-1)).toMatchObject({ continuity: "warm" });
  });

  it("lets the user answer a tool call of the model", async () => {
    const { runs } = stage.system.simulator.stats();
    await beside("Settings");
    await staged.page.getByRole("switch", { name: "Offer a tool" }).check();
    await send('[[say I look.]] [[call get_weather {"city":"Lisbon"}]] then [[say It is warm there.]]');
    const result = staged.page.getByLabel("Result of get_weather");
    await shows(result);
    await shows(reply().getByText(/"city":\s*"Lisbon"/));
    expect(stage.system.simulator.stats()).toMatchObject({ runs: runs + 1, runsOpen: 1 });
    await result.fill('{ "celsius": 31 }');
    await staged.page.getByRole("button", { name: "Send the result" }).click();
    await shows(reply().getByText("It is warm there."));
    await shows(staged.page.getByRole("article", { name: "Your results" }).getByText('{ "celsius": 31 }'));
    await ended();
    // The parked run continued; no second run was opened.
    expect(stage.system.simulator.stats()).toMatchObject({ runs: runs + 1, execsAbandoned: 0 });
    expect((await logged()).slice(-2).map(({ continuity }) => continuity)).toEqual(["cold:new", "warm"]);
  });

  it("stops on demand", async () => {
    await send("[[say It begins.]] [[wait 3600000]]");
    await shows(reply().getByText("It begins."));
    await staged.page.getByRole("button", { name: "Stop", exact: true }).click();
    await shows(reply().getByText("Stopped."));
    await expect.poll(() => stage.system.simulator.stats().runsOpen).toBe(0);
  });

  it("keeps the conversation while another view is open", async () => {
    await send("[[say Still here.]]");
    await ended();
    await staged.show("Usage");
    await staged.show("Playground");
    await shows(reply().getByText("Still here."));
    await staged.page.getByRole("button", { name: "New conversation" }).click();
    expect(await staged.page.getByRole("article").count()).toBe(0);
  });
});

describe("what a model says in the playground", () => {
  const hostile = [
    "<script>window.owned = 1; document.title = 'owned'; alert(1)</script>",
    '<img src="x" onerror="window.owned = 2"><svg onload="window.owned = 3">',
    '<iframe srcdoc="<script>parent.owned = 4</script>"></iframe>',
    "[a link](javascript:window.owned=5) <a href='https://example.com/'>another</a>",
    "\u001b]0;owned\u0007\u001b[31mred\u001b[2J \u202egnp.exe",
    "```html\n<script>window.owned = 6</script>\n```",
    "</div></body></html>",
  ].join("\n");

  it("is rendered as text, whatever it looks like", async () => {
    const { page } = staged;
    const title = await page.title();
    const made = () => page.locator("script, iframe, img, svg, a, body").count();
    await send(`[[say plain]]`);
    await ended();
    const before = await made();
    await send(`[[say ${hostile}]]`);
    await ended();
    // A text is painted a frame after it has come.
    await expect.poll(() => reply().textContent()).toContain("</html>");
    const text = (await reply().textContent()) ?? "";
    for (const line of [
      "<script>window.owned = 1",
      '<img src="x" onerror',
      "<iframe srcdoc",
      "javascript:",
      "</body>",
    ]) {
      expect(text).toContain(line);
    }
    // Control characters and bidi marks are made visible.
    expect(text).toContain("␛[31mred␛[2J");
    expect(text).not.toMatch(/\p{Cc}(?<![\n\t])|\u202e/u);
    expect(await page.title()).toBe(title);
    expect(await page.evaluate(() => Reflect.get(window, "owned"))).toBeUndefined();
    // Like the reply before, it has a link to its request and nothing else.
    expect(await made()).toBe(before + 1);
    expect(await reply().locator("a").count()).toBe(1);
    await beside("Events");
    await shows(page.getByRole("listbox", { name: "Raw events" }).getByText("<script>").first());
    expect(await page.evaluate(() => Reflect.get(window, "owned"))).toBeUndefined();
  });

  it("may be a megabyte: all of it is shown, in small blocks", async () => {
    const { page } = staged;
    const wanted = 1_048_576;
    await send(`[[stream ${DELTAS}]] [[say <script>window.owned = 7</script> the end]]`);
    // Searched inside the page: sending so much text to the test again and again would keep it busy.
    await expect.poll(() => reply().evaluate((element) => element.textContent?.includes("the end"))).toBe(true);
    await ended();
    const shown = await reply().evaluate((element) => ({
      chars: (element.textContent ?? "").length,
      elements: element.querySelectorAll("*").length,
      largest: Math.max(
        ...[...element.querySelectorAll("*")].map((each) =>
          Math.max(
            0,
            ...[...each.childNodes].map((node) =>
              node.nodeType === Node.TEXT_NODE ? (node.nodeValue ?? "").length : 0,
            ),
          ),
        ),
      ),
    }));
    expect(shown.chars).toBeGreaterThanOrEqual(wanted);
    // Small blocks, so that the browser lays out only the visible ones.
    expect(shown.elements).toBeLessThan(2_000);
    expect(shown.largest).toBeLessThan(5_000);
    expect(await page.getByRole("option").count()).toBeLessThan(200);
    expect(await page.evaluate(() => Reflect.get(window, "owned"))).toBeUndefined();
    // The page still responds.
    await staged.show("Now");
    await staged.show("Playground");
    await send("[[say Still awake.]]");
    await shows(reply().getByText("Still awake."));
  });
});
