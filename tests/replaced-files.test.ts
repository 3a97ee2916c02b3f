import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { describe, expect, it, onTestFinished } from "vitest";
import { controlRoutes } from "../packages/cli/control/routes.js";
import type { NowAnswer } from "../packages/page/access/contract.js";
import { pageApi } from "../packages/page/routes/index.js";
import { chat, result, tool, user } from "../testing/clients/tool-client.js";
import { newLink, openPage, type PageClient, secretIn } from "../testing/page/page-client.js";
import { mainFile, runCurlew, spawnGateway } from "../testing/programs/curlew-process.js";
import { installNewNode } from "../testing/programs/new-node.js";
import { samplePdf } from "../testing/samples/sample-pdf.js";
import { openSimulator } from "../testing/simulator/strict-simulator.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const sdkPath = join(root, "testing", "programs", "fake-sdk.js");

/** Other tests run the snippets of the guide in folders beside the build. */
const isBuilt = (path: string) => !/[\\/]docs-[^\\/]*$/.test(path);

/** Copies the build, with its libraries. */
function copyBuild(): { readonly main: string; readonly dist: string } {
  const folder = temporaryFolder();
  const dist = join(folder, "dist");
  cpSync(dirname(mainFile), dist, { recursive: true, filter: isBuilt });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return { main: join(dist, "main.js"), dist };
}

/** A PATH with a Node that claims to be new enough for Cursor's SDK. */
function pathWithNode(): string {
  const folder = temporaryFolder();
  installNewNode(folder);
  return [folder, process.env.PATH].join(delimiter);
}

/** Starts a gateway, and waits until it has loaded its code. */
async function startLoaded(env: Record<string, string>, { settings = {}, main = mainFile } = {}) {
  const home = temporaryFolder();
  writeFileSync(join(home, "curlew.json"), JSON.stringify(settings));
  const simulator = await openSimulator();
  const account = { CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_replaced", CURLEW_BACKEND: "agent" };
  const log = { CURLEW_LOG_LEVEL: "debug", CURLEW_LOG_FORMAT: "json" };
  const gateway = await spawnGateway([], { env: { ...account, ...log, CURLEW_HOME: home, ...env }, main });
  await gateway.printed("stderr", /everything is loaded/);
  return { ...gateway, home };
}

describe("the code of a running gateway", () => {
  /** Decided before the gateway is ready, and never again; `--record` also loads its prompt then. */
  const prompts = Array.from({ length: 5 }, () => "dist");
  const atTheStart = ["already-running", "capture", "own-login", "own-login", "record", "simulator", ...prompts];
  /** The form of the log is decided then, too. */
  const forms = ["log", "log-file", "log-lines"];
  /** Always loaded with its backend. */
  const agent = ["agent"];

  it("is loaded after the start, except for unused settings", async () => {
    const backends = ["chat", "cli", "sdk"];
    expect(await notLoaded({})).toEqual([...atTheStart, ...forms, ...agent, ...backends, "connect"].sort());
  });

  it("is loaded for every setting", async () => {
    const settings = { fallback: ["chat", "cli", "sdk"], mcp: { servers: { never: { command: "never-started" } } } };
    const env = { CURLEW_SDK_PATH: sdkPath };
    expect(await notLoaded(env, settings)).toEqual([...atTheStart, ...forms, ...agent].sort());
  });

  /** The targets of every import() that `serve` can reach and that has not run. */
  async function notLoaded(env: Record<string, string>, settings = {}): Promise<string[]> {
    const folder = temporaryFolder();
    const gateway = await startLoaded({ ...env, NODE_V8_COVERAGE: folder }, { settings });
    gateway.signal("SIGTERM");
    expect((await gateway.finished).code).toBe(0);
    const ran = readCoverage(folder);
    const sites = reachedFiles().flatMap((file) => importsIn(file).map((site) => ({ file, ...site })));
    expect(sites.length).toBeGreaterThan(10);
    const left = sites.filter(({ file, at }) => !hasRun(ran.get(file) ?? [], at));
    return left.map(({ target }) => basename(target).replace(/-[\w-]{8}\.js$/, "")).sort();
  }
});

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Coverage from V8, by file. */
function readCoverage(folder: string): ReadonlyMap<string, readonly Range[]> {
  const scripts = readdirSync(folder).flatMap((name) => {
    const { result: found } = JSON.parse(readFileSync(join(folder, name), "utf8"));
    return found as { url: string; functions: { ranges: Range[] }[] }[];
  });
  const own = scripts.filter(({ url }) => url.startsWith("file:"));
  return new Map(own.map(({ url, functions }) => [fileURLToPath(url), functions.flatMap(({ ranges }) => ranges)]));
}

/** The smallest range around an offset has its count. */
function hasRun(ranges: readonly Range[], at: number): boolean {
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset);
  const [smallest] = around.sort((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
  return (smallest?.count ?? 0) > 0;
}

function importsIn(file: string): { readonly target: string; readonly at: number }[] {
  const found = readFileSync(file, "utf8").matchAll(/\bimport\(\s*["'`](\.[^"'`]+)["'`]\s*\)/g);
  return [...found].map(({ 1: specifier = "", index }) => ({ target: join(dirname(file), specifier), at: index }));
}

/** All files that `serve` can import. */
function reachedFiles(): string[] {
  const text = readFileSync(mainFile, "utf8");
  const [, serve = ""] = /import\(["'`](\.\/chunks\/serve-[^"'`]+)/.exec(text) ?? [];
  const reached = new Set([join(dirname(mainFile), serve)]);
  for (const file of reached) {
    const found = readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^"'(;]*["'](\.[^"']+)["']/gm);
    for (const [, specifier = ""] of found) reached.add(join(dirname(file), specifier));
    for (const { target } of importsIn(file)) reached.add(target);
  }
  return [...reached];
}

describe("a gateway whose files are gone", () => {
  /** Request bodies by route. */
  const bodies: Readonly<Record<string, object>> = {
    "/v1/chat/completions": { model: "auto", messages: [user("[[say hi]]")] },
    "/v1/completions": { model: "auto", prompt: "[[say hi]]" },
    "/v1/responses": { model: "auto", input: "[[say hi]]" },
    "/v1/responses/compact": { model: "auto", input: "[[say hi]]" },
    "/v1/responses/input_tokens": { model: "auto", input: "[[say hi]]" },
    "/v1/responses/{id}/cancel": {},
    "/v1/conversations": {},
    "/v1/conversations/{id}": { metadata: {} },
    "/v1/conversations/{id}/items": { items: [user("Hello")] },
    "/v1/messages": { model: "auto", max_tokens: 100, messages: [user("[[say hi]]")] },
    "/v1/messages/count_tokens": { model: "auto", messages: [user("[[say hi]]")] },
    "/admin/api/chat/completions": { model: "auto", messages: [user("[[say hi]]")], stream: true },
    "/admin/api/stop-all": {},
  };

  async function startAndRemove(env: Record<string, string> = {}) {
    const { main, dist } = copyBuild();
    const gateway = await startLoaded(env, { main });
    rmSync(dist, { recursive: true });
    return { ...gateway, main, dist };
  }

  const post = (body: object): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

  it("answers on every route", async () => {
    const { url, home } = await startAndRemove();
    const { paths }: { paths: Record<string, Record<string, unknown>> } = JSON.parse(
      await (await fetch(`${url}/openapi.json`)).text(),
    );
    const stored: { id: string } = JSON.parse(
      await (await fetch(`${url}/v1/responses`, post(bodies["/v1/responses"] ?? {}))).text(),
    );
    const answered: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      const canonical = "$ref" in methods ? `/v1${path}` : path;
      for (const method of Object.keys(paths[canonical] ?? {})) {
        const address = path.replace("{id}", path.includes("models") ? "auto" : stored.id);
        if (method === "post") expect(bodies).toHaveProperty([canonical]);
        const init = method === "post" ? post(bodies[canonical] ?? {}) : { method: method.toUpperCase() };
        const response = await fetch(url + address, init);
        await response.text();
        answered.push(`${response.status < 500 ? "answers" : response.status} ${method} ${path}`);
      }
    }
    expect(answered.length).toBeGreaterThan(30);
    expect(answered.filter((line) => !line.startsWith("answers"))).toEqual([]);

    const page = await openPage(url, { link: secretIn(await newLink(home, url)) });
    expect(await failuresOfPage(page)).toEqual([]);
    const run: { token: string } = JSON.parse(readFileSync(join(home, "run", `${new URL(url).port}.json`), "utf8"));
    for (const { path } of controlRoutes({} as never)) {
      const response = await fetch(url + path, { method: "POST", headers: { "x-curlew-control": run.token } });
      expect([path, response.status]).toEqual([path, 200]);
    }
  });

  /** Requests the page with its files and all data of its views. Returns the failures. */
  async function failuresOfPage(page: PageClient): Promise<string[]> {
    const index = await (await page.ask("/", { headers: { accept: "text/html" } })).text();
    const assets = [...index.matchAll(/(?:src|href)="\.?(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(assets.length).toBeGreaterThan(1);
    const routes = pageApi({ views: {}, gateway: {} } as never);
    const asked = [...assets, "/admin/api/door"].map((path) => ({ method: "GET", path }));
    const failures: string[] = [];
    for (const { method, path } of [...asked, ...routes]) {
      if (method === "POST") expect(bodies).toHaveProperty([path]);
      const init = method === "POST" ? post(bodies[path] ?? {}) : {};
      const headers = { "content-type": "application/json" };
      const leave = new AbortController();
      const response = await page.ask(path.replace(":id", "none"), { ...init, headers, signal: leave.signal });
      const isFine = response.ok || (path.includes(":id") && response.status === 404);
      if (!isFine) failures.push(`${response.status} ${method} ${path}: ${await response.text()}`);
      leave.abort(); // the live stream never ends
    }
    return failures;
  }

  it("streams, calls tools, keeps to schemas and reads documents", async () => {
    const { url } = await startAndRemove();
    const asked = user('[[call add {"a":1}]] [[say done]]');
    const call = await chat(url, [asked], { tools: [tool("add")] });
    const back = await chat(url, [asked, call.message, result(call.calls[0], "2")], { tools: [tool("add")] });
    expect(back).toMatchObject({ text: expect.stringContaining("done"), continuity: "warm" });
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const response_format = { type: "json_schema", json_schema: { name: "count", strict: true, schema } };
    expect(JSON.parse((await chat(url, [user("Count.")], { response_format })).text)).toHaveProperty("n");
    const data = `data:application/pdf;base64,${samplePdf("Spring tide at noon").toString("base64")}`;
    const document = [
      { type: "text", text: "Repeat this:" },
      { type: "file", file: { filename: "tides.pdf", file_data: data } },
    ];
    expect((await chat(url, [user(document)])).text).toContain("Spring tide at noon");
    const messages = await fetch(`${url}/v1/messages`, post({ ...bodies["/v1/messages"], stream: true }));
    expect(await messages.text()).toContain("message_stop");
    const responses = await fetch(`${url}/v1/responses`, post({ ...bodies["/v1/responses"], stream: true }));
    expect(await responses.text()).toContain("response.completed");
  });

  it("takes WebSockets", async () => {
    const { url } = await startAndRemove();
    const socket = new ResponsesWS(new OpenAI({ baseURL: `${url}/v1`, apiKey: "none" }));
    onTestFinished(() => socket.close());
    const ended = new Promise<string>((resolve, reject) => {
      socket.on("response.completed", ({ response }) => resolve(response.status ?? ""));
      socket.on("error", reject);
    });
    socket.send({ type: "response.create", model: "auto", input: "[[say hi]]" });
    expect(await ended).toBe("completed");
  });

  it("starts the child process of Cursor's SDK", async () => {
    const env = { CURLEW_BACKEND: "sdk", CURLEW_SDK_PATH: sdkPath, PATH: pathWithNode() };
    const { url } = await startAndRemove(env);
    await expect(chat(url, [user("crash")])).rejects.toThrow("Try again: Curlew starts a new one.");
    expect((await chat(url, [user("pid")])).text).toMatch(/^\d+$/);
  });

  it("reports an update once other files are in place, but not for the same ones", async () => {
    const { url, home, main, dist, printed } = await startAndRemove();
    const page = await openPage(url, { link: secretIn(await newLink(home, url)) });
    const isUpdated = async () => {
      const health: { updated: boolean } = JSON.parse(await (await fetch(`${url}/health`)).text());
      const now: NowAnswer = JSON.parse(await (await page.ask("/admin/api/now")).text());
      expect(now.health.isUpdated).toBe(health.updated);
      return health.updated;
    };
    const status = async () => (await runCurlew(["status", "--port", new URL(url).port])).stdout;
    const WORDS = "Curlew was updated; restart it";
    // A hash of all files, because an update may concern only the page.
    expect(readFileSync(mainFile, "utf8")).toMatch(/\n\/\/ build [0-9a-f]{64}\n$/);
    expect(await isUpdated()).toBe(false);
    cpSync(dirname(mainFile), dist, { recursive: true, filter: isBuilt });
    expect(await isUpdated()).toBe(false);
    expect(await status()).not.toContain(WORDS);
    writeFileSync(main, `${readFileSync(main, "utf8")}// newer\n`);
    expect(await isUpdated()).toBe(true);
    expect(await status()).toContain(WORDS);
    await printed("stderr", new RegExp(WORDS));
  });
});
