import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { shows } from "../../testing/browser/shows.js";
import { Stage } from "../../testing/browser/stage.js";
import { runCurlew } from "../../testing/programs/curlew-process.js";

const KEY = "a-gateway-key-0123";
const REFUSED = /status of 401|401 \(Unauthorized\)/;
const DOOR = "Sign in to Curlew";

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start({ key: KEY });
});
afterAll(() => stage?.close());
afterEach(() => expect(stage.takeFaults()).toEqual([]));

const isDoor = (page: Page) => shows(page.getByRole("heading", { level: 1, name: DOOR }));
const isInside = (page: Page) => shows(page.getByRole("navigation", { name: "Views" }));

/** The status of an API request from this page with that proof. */
const askedWith = (page: Page, proof: string) =>
  page.evaluate(async (shown) => {
    const answer = await fetch("/admin/api/now", { headers: { "x-curlew-page": shown } });
    return answer.status;
  }, proof);

const proofOf = (page: Page) => page.evaluate(() => localStorage.getItem("curlew.proof") ?? "");

describe("a link of curlew dashboard", () => {
  it("opens the page and is removed from the address", async () => {
    const { page } = await stage.open();
    await isInside(page);
    expect(page.url()).toBe(`${stage.system.url}/`);
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    expect(await askedWith(page, await proofOf(page))).toBe(200);
  });

  it("keeps the page open after a reload and in a second window", async () => {
    const { page } = await stage.open();
    await page.reload();
    await isInside(page);
    const second = await page.context().newPage();
    await second.goto(stage.system.url);
    await isInside(second);
  });

  it("opens a locked page when pasted into its address bar", async () => {
    const { page } = await stage.visit(stage.system.url);
    await isDoor(page);
    await page.goto(await stage.link());
    await isInside(page);
    expect(page.url()).toBe(`${stage.system.url}/`);
  });

  it("works only once", async () => {
    const link = await stage.link();
    const first = await stage.visit(link);
    await isInside(first.page);
    const { page, watch } = await stage.visit(link);
    watch.allow(REFUSED);
    await isDoor(page);
    expect(await page.getByRole("alert").textContent()).toMatch(/used already.*curlew dashboard/);
    expect(page.url()).toBe(`${stage.system.url}/`);
    expect(await proofOf(page)).toBe("");
  });

  it("expires after ten minutes", async () => {
    const link = await stage.link();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 + 1 });
    onTestFinished(() => void vi.useRealTimers());
    const { page, watch } = await stage.visit(link);
    watch.allow(REFUSED);
    await isDoor(page);
    expect(await page.getByRole("alert").textContent()).toMatch(/expired \(after ten minutes\)/);
  });

  it("does not open the page of another gateway", async () => {
    const other = await Stage.start();
    onTestFinished(() => other.close());
    const { hash } = new URL(await other.link());
    const { page, watch } = await stage.visit(`${stage.system.url}/${hash}`);
    watch.allow(REFUSED);
    await isDoor(page);
  });
});

describe("a visitor without a link", () => {
  it("sees only how to sign in", async () => {
    const { page, watch } = await stage.visit(stage.system.url);
    await isDoor(page);
    expect(await page.getByText("curlew dashboard", { exact: true }).count()).toBe(1);
    expect(await askedWith(page, "")).toBe(401);
    watch.allow(REFUSED);
    expect(watch.requests.filter((asked) => asked.includes("/admin/api/"))).toEqual([
      "GET /admin/api/door",
      "GET /admin/api/now",
    ]);
  });

  it("signs in with the gateway's own key, not with another key or a client's key", async () => {
    const env = { CURLEW_HOME: stage.system.home };
    const { stdout } = await runCurlew(["keys", "add", "laptop", "--json"], { env });
    const named: { key: string } = JSON.parse(stdout);
    const headers = { authorization: `Bearer ${named.key}` };
    // The gateway rereads its keys once a second.
    await expect.poll(async () => (await fetch(`${stage.system.url}/v1/models`, { headers })).status).toBe(200);
    const { page, watch } = await stage.visit(stage.system.url);
    watch.allow(REFUSED);
    for (const { key, why } of [
      { key: "another-key-0123456", why: /This is not the gateway's key/ },
      { key: named.key, why: /for clients and do not open the page/ },
    ]) {
      await page.getByLabel("gateway's own key").fill(key);
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await shows(page.getByRole("alert").filter({ hasText: why }));
    }
    expect(await page.context().cookies()).toEqual([]);
    await page.getByLabel("gateway's own key").fill(KEY);
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await isInside(page);
  });
});

describe("a session", () => {
  it("is an HTTP-only cookie plus a proof: neither works alone", async () => {
    const { page } = await stage.open();
    const [cookie, ...others] = await page.context().cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/admin/api" });
    expect(await page.evaluate(() => document.cookie)).toBe("");
    const proof = await proofOf(page);

    const { page: thief, watch } = await stage.visit(stage.system.url);
    watch.allow(REFUSED);
    await isDoor(thief);
    expect(await askedWith(thief, proof)).toBe(401);
    if (cookie !== undefined) await thief.context().addCookies([cookie]);
    expect(await askedWith(thief, "")).toBe(401);
    expect(await askedWith(thief, proof)).toBe(200);
  });

  it("ends when its owner signs out", async () => {
    const { page } = await stage.open();
    await page.getByRole("button", { name: "Sign out" }).click();
    await isDoor(page);
    expect(await page.context().cookies()).toEqual([]);
    expect(await proofOf(page)).toBe("");
    await page.reload();
    await isDoor(page);
  });

  it("ends everywhere with curlew dashboard --forget", async () => {
    const { page, watch } = await stage.open();
    watch.allow(/401|net::ERR_/);
    const { code } = await runCurlew(["dashboard", "--forget"], { env: { CURLEW_HOME: stage.system.home } });
    expect(code).toBe(0);
    await isDoor(page);
  });
});
