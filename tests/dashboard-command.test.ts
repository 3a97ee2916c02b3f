import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { serveHttp } from "../testing/network/serve-http.js";
import { openPage, type PageClient, secretIn } from "../testing/page/page-client.js";
import { emptyMachine, runCurlew, serveCurlew, startCurlew } from "../testing/programs/curlew-process.js";

const LINK = /^http:\/\/127\.0\.0\.1:\d+\/#open=[\w-]{43}$/;

let home: string;
let env: Record<string, string>;

beforeEach(() => {
  const { HOME = "", PATH = "" } = emptyMachine();
  home = join(HOME, "curlew");
  // A fake browser that records its arguments, which every user of the machine could read.
  for (const name of ["xdg-open", "open"]) {
    const script = `#!/bin/sh\nprintf '%s\\n' "$@" > "${HOME}/opening" && mv "${HOME}/opening" "${HOME}/opened"\n`;
    writeFileSync(join(HOME, name), script);
    chmodSync(join(HOME, name), 0o755);
  }
  env = { HOME, PATH: `${HOME}:${PATH}`, CURLEW_HOME: home, CURLEW_LOG_LEVEL: "trace" };
});

const serve = (args: readonly string[] = [], more: Record<string, string> = {}) =>
  serveCurlew(args, { env: { ...env, ...more } });
const dashboard = (args: readonly string[] = [], more: Record<string, string> = {}) =>
  runCurlew(["dashboard", ...args], { env: { ...env, ...more } });
const onDesktop = (args: readonly string[] = [], more: Record<string, string> = {}) =>
  runCurlew(["dashboard", ...args], { env: { ...env, DISPLAY: ":0", ...more }, columns: 200 });
const openedFile = () => join(env.HOME ?? "", "opened");
const portOf = (url: string) => new URL(url).port;

/** Whether the page is open: an unknown route gives 404 only with access, otherwise 401. */
const isOpen = async (page: PageClient) => (await page.ask("/admin/api/nothing")).status === 404;

describe("curlew dashboard in a pipe", () => {
  it("prints a link that opens the page once, and opens no browser", async () => {
    const { url } = await serve();
    const { code, stdout, stderr } = await dashboard([], { DISPLAY: ":0" });
    expect(code).toBe(0);
    expect(stderr).toBe("Open this link in a browser on this machine. It works once, for 10 minutes.\n");
    const link = stdout.trimEnd();
    expect(link).toMatch(LINK);
    expect(new URL(link).origin).toBe(url);
    expect(await isOpen(await openPage(url, { link: secretIn(link) }))).toBe(true);
    await expect(openPage(url, { link: secretIn(link) })).rejects.toThrow("This link was used already");
    expect(existsSync(openedFile())).toBe(false);
  });

  it("prints JSON on demand", async () => {
    const { url } = await serve();
    const { code, stdout, stderr } = await onDesktop(["--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({ gateway: url, link: expect.stringMatching(LINK), minutes: 10 });
    expect(existsSync(openedFile())).toBe(false);
  });

  it("says how to start a gateway if none runs", async () => {
    const message = "No gateway is running. Start one with: curlew serve";
    expect(await dashboard([])).toEqual({ code: 1, stdout: "", stderr: `curlew: ${message}\n` });
    const asJson = await dashboard(["--json"]);
    expect({ ...asJson, stdout: JSON.parse(asJson.stdout) }).toEqual({
      code: 1,
      stdout: { error: { message } },
      stderr: `curlew: ${message}\n`,
    });
  });
});

describe("with several running gateways", () => {
  it("uses the named one or that of the settings, and otherwise lists them", async () => {
    const [one, other] = [await serve(), await serve()];
    const list = [one.url, other.url];
    const unclear = await dashboard();
    expect([unclear.code, unclear.stdout]).toEqual([1, ""]);
    expect(unclear.stderr).toContain("Several gateways are running. Choose one with --port:\n");
    for (const url of list) expect(unclear.stderr).toContain(`\n  ${url}`);
    for (const url of list) {
      const named = await dashboard(["--port", portOf(url)]);
      expect([named.code, new URL(named.stdout).origin]).toEqual([0, url]);
      const meant = await dashboard([], { PORT: portOf(url) });
      expect([meant.code, new URL(meant.stdout).origin]).toEqual([0, url]);
    }
    const wrong = await dashboard(["--port", "9"]);
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toContain("No gateway is running on port 9. Running gateways:\n");
  });

  it("uses the only one, whatever its port", async () => {
    const { url } = await serve();
    expect(new URL((await dashboard([], { PORT: "9" })).stdout).origin).toBe(url);
  });
});

describe("curlew dashboard on a terminal", () => {
  it("opens the browser through a file for the owner alone, so that no process list has the link", async () => {
    const { url } = await serve();
    const { code, stdout, stderr } = await onDesktop();
    expect(code).toBe(0);
    expect(stderr).toBe("The page opens in your browser. If it does not, open this link yourself.\n");
    const link = stdout.trimEnd();
    expect(link).toMatch(LINK);
    await expect.poll(() => existsSync(openedFile())).toBe(true);
    const [address = "", ...others] = readFileSync(openedFile(), "utf8").trimEnd().split("\n");
    expect(others).toEqual([]);
    expect(address).toMatch(/^file:\/\/.*\/run\/open-\d+\.html$/);
    expect(address).not.toContain(secretIn(link));
    const file = fileURLToPath(address);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "run")).mode & 0o777).toBe(0o700);
    const [, target = ""] = /content="0; url=([^"]+)"/.exec(readFileSync(file, "utf8")) ?? [];
    expect(target).toBe(link);
    expect(await isOpen(await openPage(url, { link: secretIn(target) }))).toBe(true);
    // The file does not count as a gateway, and the next link replaces it.
    expect((await runCurlew(["stop"], { env })).stdout).toBe(`${url}: nothing was running.\n`);
    const next = await onDesktop();
    expect(readFileSync(file, "utf8")).toContain(next.stdout.trimEnd());
  });

  it.each([
    ["--no-open is given", ["--no-open"], {}],
    ["NO_OPEN_BROWSER is set", [], { NO_OPEN_BROWSER: "1" }],
    ["there is no display", [], { DISPLAY: "" }],
  ])("only prints the link if %s", async (_, args, more) => {
    await serve();
    const { code, stdout, stderr } = await onDesktop(args, more);
    expect([code, stdout.trimEnd()]).toEqual([0, expect.stringMatching(LINK)]);
    expect(stderr).toContain("Open this link in a browser on this machine.");
    expect(existsSync(openedFile())).toBe(false);
    expect(readdirSync(join(home, "run")).filter((name) => name.endsWith(".html"))).toEqual([]);
  });

  it("prints the link without a browser", async () => {
    await serve();
    const { code, stdout, stderr } = await onDesktop([], { PATH: "/nowhere" });
    expect([code, stdout.trimEnd()]).toEqual([0, expect.stringMatching(LINK)]);
    expect(stderr).toContain("Open this link in a browser on this machine.");
  });
});

describe("curlew dashboard --forget", () => {
  it("closes all pages of running gateways, and revokes links", async () => {
    const [one, other] = [await serve(), await serve()];
    const linkOf = async (url: string) => secretIn((await dashboard(["--port", portOf(url)])).stdout.trimEnd());
    const pages = await Promise.all([one, other].map(async ({ url }) => openPage(url, { link: await linkOf(url) })));
    for (const page of pages) expect(await isOpen(page)).toBe(true);
    const unused = await linkOf(one.url);
    const { code, stdout, stderr } = await dashboard(["--forget"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "The page is closed in all browsers, and old links no longer work.\n",
      stderr: "",
    });
    for (const page of pages) await expect.poll(() => isOpen(page)).toBe(false);
    await expect(openPage(one.url, { link: unused })).rejects.toThrow("This link was used already");
    expect(await isOpen(await openPage(one.url, { link: await linkOf(one.url) }))).toBe(true);
  });

  it("needs no gateway", async () => {
    expect(await dashboard(["--forget", "--json"])).toEqual({
      code: 0,
      stdout: '{\n  "closed": true\n}\n',
      stderr: "",
    });
    expect(statSync(join(home, "page.secret")).mode & 0o777).toBe(0o600);
  });

  it("reports that the secret cannot be replaced", async () => {
    writeFileSync(home, "");
    const { code, stdout, stderr } = await dashboard(["--forget"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("curlew: The pages are still open, because ");
  });
});

describe("a program in the gateway's place", () => {
  it.each([
    ["another version", 404, {}, "it answered with status 404"],
    ["something that gives no link", 200, {}, "its answer is not understood"],
    ["a link elsewhere", 200, { url: "http://127.0.0.1:1/#open=x" }, "its answer is not understood"],
    ["a link with more in it", 200, { url: 'http://127.0.0.1:1/#open=x"><script>' }, "its answer is not understood"],
  ])("opens nothing: %s", async (_, status, answer, problem) => {
    const url = await serveHttp((_, response) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    mkdirSync(join(home, "run"), { recursive: true, mode: 0o700 });
    const run = { pid: process.pid, url, started: new Date(0).toISOString(), token: "mine" };
    writeFileSync(join(home, "run", `${portOf(url)}.json`), JSON.stringify(run));
    const { code, stdout, stderr } = await onDesktop();
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`The gateway at ${url} gave no link: ${problem}`);
    expect(existsSync(openedFile())).toBe(false);
  });
});

describe("the banner", () => {
  const start = (columns?: number) =>
    startCurlew(["serve", "--port", "0"], { env: { ...env, CURLEW_BACKEND: "simulator", NO_COLOR: "1" }, columns });

  it("has a link that opens the page, on a terminal", async () => {
    const running = start(200);
    const [, link = ""] = await running.printed(
      "stderr",
      /^ {2}Page \(opens once, within 10 minutes; later: .* dashboard\)\s+(http\S+)$/m,
    );
    expect(link).toMatch(LINK);
    const page = await openPage(new URL(link).origin, { link: secretIn(link) });
    expect(await isOpen(page)).toBe(true);
  });

  it("has no secret in a pipe", async () => {
    const running = start();
    const [banner] = await running.printed("stderr", /^curlew [\s\S]*Ctrl-C to stop\n/);
    expect(banner).toMatch(/^ {2}page +\S.* dashboard$/m);
    expect(banner).not.toContain("#open");
    expect(existsSync(join(home, "page.secret"))).toBe(false);
  });
});

it("no secret of the page is in a log, on a command line or in a file that others can read", async () => {
  const gateway = await serve(["--key-file", keyFile()]);
  const link = (await onDesktop()).stdout.trimEnd();
  const page = await openPage(gateway.url, { link: secretIn(link) });
  await isOpen(page);
  await (await page.ask("/admin/api/door")).text();
  await openPage(gateway.url, { link: secretIn(link) }).catch(() => {});
  await openPage(gateway.url, { key: "x".repeat(20) }).catch(() => {});
  const byKey = await openPage(gateway.url, { key: KEY });
  await expect.poll(() => existsSync(openedFile())).toBe(true);
  gateway.signal("SIGTERM");
  const { stdout, stderr } = await gateway.finished;
  expect(stderr).toContain("POST /admin/api/session");
  const own = readFileSync(join(home, "page.secret"), "utf8").trim();
  const cookies = [page, byKey].map(({ cookie }) => cookie.slice(cookie.indexOf("=") + 1));
  const secrets = [secretIn(link), page.proof, byKey.proof, ...cookies, own, KEY];
  const seen = [stdout, stderr, readFileSync(openedFile(), "utf8"), ...readableByOthers()];
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(10);
    for (const text of seen) expect(text).not.toContain(secret);
  }
});

const KEY = "a-gateway-key-for-the-page";

function keyFile(): string {
  const path = join(env.HOME ?? "", "key");
  writeFileSync(path, KEY, { mode: 0o600 });
  return path;
}

function readableByOthers(): string[] {
  return readdirSync(env.HOME ?? "", { recursive: true, encoding: "utf8" })
    .map((name) => join(env.HOME ?? "", name))
    .filter((path) => statSync(path).isFile() && (statSync(path).mode & 0o077) !== 0)
    .map((path) => readFileSync(path, "latin1"));
}
