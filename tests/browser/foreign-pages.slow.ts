import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Stage } from "../../testing/browser/stage.js";
import type { StagedPage } from "../../testing/browser/staged-page.js";
import { chat, tool } from "../../testing/clients/tool-client.js";

/** Another user's program on this machine: another port is the same site, so the browser sends it the cookie too. */
let neighbour: Server;
let neighbourUrl = "";
const cookiesSeen: (string | undefined)[] = [];
let stage: Stage;
/** The owner's browser, with the page open. */
let owner: StagedPage;
let foreign: Page;

beforeAll(async () => {
  neighbour = createServer((request, response) => {
    cookiesSeen.push(request.headers.cookie);
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Neighbour</title>");
  });
  neighbour.listen(0, "127.0.0.1");
  await once(neighbour, "listening");
  neighbourUrl = `http://127.0.0.1:${(neighbour.address() as AddressInfo).port}`;
  stage = await Stage.start();
  owner = await stage.open();
  await chat(stage.system.url, [{ role: "user", content: "[[call look {}]] then" }], { tools: [tool("look")] });
  foreign = await owner.page.context().newPage();
  await foreign.goto(`${neighbourUrl}/admin/api/`);
});
afterAll(async () => {
  await stage?.close();
  neighbour?.close();
});

describe("a page of another port", () => {
  it("gets the cookie, so the cookie alone must not suffice", async () => {
    const [{ name = "", value = "" } = {}] = await foreign.context().cookies(`${stage.system.url}/admin/api/now`);
    expect(name).not.toBe("");
    expect(cookiesSeen).toContain(`${name}=${value}`);
    // A program can send the stolen cookie with any headers.
    const headers = { cookie: `${name}=${value}`, "sec-fetch-site": "same-origin", origin: stage.system.url };
    for (const proof of ["", "x", value]) {
      const answer = await fetch(`${stage.system.url}/admin/api/now`, {
        headers: { ...headers, "x-curlew-page": proof },
      });
      expect(answer.status).toBe(401);
    }
  });

  it.each(["door", "now", "requests", "usage?by=day", "models", "clients", "plan", "live"])(
    "cannot read %s",
    async (route) => {
      const read = await foreign.evaluate(async (url) => {
        const outcome = (asking: Promise<Response>) =>
          asking.then(
            async (answer) => `${answer.type} ${answer.status} ${(await answer.text()).length}`,
            () => "refused",
          );
        return {
          plain: await outcome(fetch(url, { credentials: "include" })),
          withHeader: await outcome(fetch(url, { credentials: "include", headers: { "x-curlew-page": "guess" } })),
          opaque: await outcome(fetch(url, { credentials: "include", mode: "no-cors" })),
        };
      }, `${stage.system.url}/admin/api/${route}`);
      // The resource policy blocks even opaque responses, which have no readable text anyway.
      expect(read).toEqual({ plain: "refused", withHeader: "refused", opaque: "refused" });
    },
  );

  it("can embed neither the page nor its data", async () => {
    const drawn = await foreign.evaluate(async (url) => {
      const load = (tag: "img" | "script" | "iframe", src: string) =>
        new Promise<string>((resolve) => {
          const element = document.createElement(tag);
          element.src = src;
          element.onload = () => resolve(tag === "iframe" ? frameText(element as HTMLIFrameElement) : "loaded");
          element.onerror = () => resolve("refused");
          document.body.append(element);
        });
      const frameText = (frame: HTMLIFrameElement) => {
        try {
          return frame.contentDocument?.body.textContent ?? "nothing";
        } catch {
          return "nothing";
        }
      };
      return {
        image: await load("img", `${url}/admin/api/now`),
        script: await load("script", `${url}/admin/api/now`),
        frame: await load("iframe", `${url}/`),
        dataFrame: await load("iframe", `${url}/admin/api/now`),
      };
    }, stage.system.url);
    expect(drawn).toEqual({ image: "refused", script: "refused", frame: "nothing", dataFrame: "nothing" });
    const frames = foreign.frames().filter((frame) => frame !== foreign.mainFrame());
    expect(frames.length).toBe(2);
    for (const frame of frames) expect(await frame.evaluate(() => document.querySelector("#page"))).toBeNull();
  });

  it("cannot read the live stream", async () => {
    const heard = await foreign.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          const source = new EventSource(`${url}/admin/api/live`, { withCredentials: true });
          source.onopen = () => resolve("open");
          source.onerror = () => resolve("refused");
        }),
      stage.system.url,
    );
    expect(heard).toBe("refused");
  });

  it.each(["/admin/api/live", "/v1/responses"])("opens no WebSocket at %s", async (path) => {
    const outcome = await foreign.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          const socket = new WebSocket(url);
          socket.onopen = () => resolve("open");
          socket.onclose = () => resolve("refused");
        }),
      `${stage.system.url.replace("http", "ws")}${path}`,
    );
    expect(outcome).toBe("refused");
  });

  it.each([
    { path: "/admin/api/stop-all", body: "" },
    { path: "/admin/api/session", body: '{"link":"x"}' },
    {
      path: "/admin/api/chat/completions",
      body: '{"model":"auto","messages":[{"role":"user","content":"[[say no]]"}]}',
    },
    { path: "/v1/chat/completions", body: '{"model":"auto","messages":[{"role":"user","content":"[[say no]]"}]}' },
  ])("changes nothing with a form or a fetch to $path", async ({ path, body }) => {
    const { runs, runsOpen } = stage.system.simulator.stats();
    const url = stage.system.url + path;
    const statuses: number[] = [];
    foreign.context().on("response", (response) => {
      if (response.url() === url) statuses.push(response.status());
    });
    await foreign.evaluate(
      async ([to, text]) => {
        const types = ["text/plain", "application/json", "application/x-www-form-urlencoded"];
        for (const type of types) {
          for (const mode of ["cors", "no-cors"] as const) {
            const options: RequestInit = { method: "POST", mode, body: text, credentials: "include" };
            await fetch(to, { ...options, headers: { "content-type": type } }).catch(() => {});
          }
        }
        await fetch(to, { method: "DELETE", credentials: "include" }).catch(() => {});
      },
      [url, body] as const,
    );
    // Submitting a form navigates to the address and shows the response.
    const form = await foreign.context().newPage();
    await form.goto(neighbourUrl);
    const answered = form.waitForResponse((response) => response.url() === url);
    await form.evaluate(
      ([to, text]) => {
        const made = document.createElement("form");
        Object.assign(made, { method: "POST", action: to, enctype: "text/plain" });
        made.append(Object.assign(document.createElement("input"), { name: text.slice(0, -1), value: text.slice(-1) }));
        document.body.append(made);
        made.submit();
      },
      [url, body] as const,
    );
    expect((await answered).status()).toBeGreaterThanOrEqual(400);
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect(stage.system.simulator.stats()).toMatchObject({ runs, runsOpen });
  });

  it("cannot keep a handle to a window of the page", async () => {
    const opened = foreign.context().waitForEvent("page");
    await foreign.evaluate((url) => void Object.assign(window, { theirs: open(url) }), stage.system.url);
    const page = await opened;
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    expect(await page.evaluate(() => window.opener)).toBeNull();
    await expect.poll(() => foreign.evaluate(() => Reflect.get(window, "theirs").closed)).toBe(true);
    await page.close();
  });

  it("leaves the owner's page working", async () => {
    await owner.page.getByRole("navigation", { name: "Views" }).waitFor();
    const status = await owner.page.evaluate(async () => {
      const headers = { "x-curlew-page": localStorage.getItem("curlew.proof") ?? "" };
      return (await fetch("/admin/api/now", { headers })).status;
    });
    expect(status).toBe(200);
  });
});
