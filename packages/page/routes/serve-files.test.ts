import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { RawClient } from "../../../testing/clients/raw-client.js";
import { serveRoutes } from "../../../testing/gateway/serve-gateway.js";
import { serveHttp } from "../../../testing/network/serve-http.js";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { builtPage } from "./files.js";
import { serveAsset, serveIndex } from "./serve-files.js";

const SCRIPT = `console.log("${"a page ".repeat(200)}");`;
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
const hardened = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

let folder: string;
let url: string;

beforeEach(async () => {
  folder = temporaryFolder();
  const files = builtPage(pathToFileURL(`${folder}/dashboard/`));
  url = await serveHttp(
    serveRoutes([
      { method: "GET", path: "/", serve: serveIndex(files, () => ({ name: "Curlew" })) },
      { method: "GET", path: "/assets/:name", serve: serveAsset(files) },
    ]),
  );
});

function build(): void {
  mkdirSync(join(folder, "dashboard", "assets"), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, "dashboard", name), text);
  write("index.html", "<!doctype html><title>Curlew</title>");
  write("assets/index-1a2b.js", SCRIPT);
  write("assets/index-3c4d.css", "a{}");
  write("assets/curlew-5e6f.svg", "<svg/>");
  write("assets/notes.txt", "not for the page");
  writeFileSync(join(folder, "secret.js"), "not for the page");
}

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

const headersOf = (response: Response) => Object.fromEntries(response.headers);

/** The response for a path as it is written: `fetch` would normalise it. */
async function getRaw(path: string, headers = ""): Promise<string> {
  const client = await RawClient.connect(Number(new URL(url).port));
  client.send(`GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}connection: close\r\n\r\n`);
  await client.closed;
  return client.received;
}

describe("/", () => {
  beforeEach(build);

  it("is the page for a browser, under a strict policy", async () => {
    const response = await fetch(url, { headers: html });
    expect(response.status).toBe(200);
    expect(headersOf(response)).toMatchObject({
      ...hardened,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      vary: "accept, accept-encoding",
    });
    expect(await response.text()).toContain("<title>Curlew</title>");
  });

  it.each([{}, { accept: "*/*" }, { accept: "application/json" }])("is JSON for all others: %o", async (headers) => {
    const response = await fetch(url, { headers });
    expect(headersOf(response)).toMatchObject({ ...hardened, "content-type": "application/json" });
    const text = await response.text();
    expect([JSON.parse(text), text]).toEqual([{ name: "Curlew" }, '{\n  "name": "Curlew"\n}\n']);
  });

  it("is read-only", async () => {
    const head = await fetch(url, { method: "HEAD", headers: html });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await fetch(url, { method: "POST" })).headers.get("allow")).toBe("GET, HEAD");
  });
});

describe("the assets of the page", () => {
  beforeEach(build);

  it.each([
    ["index-1a2b.js", "text/javascript; charset=utf-8", SCRIPT],
    ["index-3c4d.css", "text/css; charset=utf-8", "a{}"],
    ["curlew-5e6f.svg", "image/svg+xml", "<svg/>"],
  ])("include %s with its type, cached forever", async (name, type, text) => {
    const response = await fetch(`${url}/assets/${name}`);
    expect(headersOf(response)).toMatchObject({
      ...hardened,
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    });
    expect(await response.text()).toBe(text);
  });

  it("are compressed if the client accepts it and they get smaller", async () => {
    const get = async (path: string, encoding: string) => {
      const received = await getRaw(path, `accept-encoding: ${encoding}\r\n`);
      const [head = "", ...body] = received.split("\r\n\r\n");
      return { head: head.toLowerCase(), body: Buffer.from(body.join("\r\n\r\n"), "latin1") };
    };
    const packed = await get("/assets/index-1a2b.js", "br, gzip;q=0.8");
    expect(packed.head).toContain("content-encoding: gzip");
    expect(packed.body.length).toBeLessThan(SCRIPT.length / 2);
    expect(gunzipSync(packed.body).toString()).toBe(SCRIPT);
    for (const encoding of ["identity", "br", "gzip;q=0", "gzip; q=0.0, br"]) {
      const plain = await get("/assets/index-1a2b.js", encoding);
      expect(plain.head).not.toContain("content-encoding");
      expect(plain.body.toString()).toBe(SCRIPT);
    }
    expect((await get("/assets/index-3c4d.css", "gzip")).head).not.toContain("content-encoding");
  });

  it.each([
    "/assets/notes.txt",
    "/assets/nothing.js",
    "/assets/",
    "/assets/index.html",
    "/assets/../index.html",
    "/assets/../../secret.js",
    "/assets/..%2f..%2fsecret.js",
    "/assets/%2e%2e%2f%2e%2e%2fsecret.js",
    "/assets/..%5c..%5csecret.js",
    "/assets/index-1a2b.js%00.css",
    "/assets//index-1a2b.js",
    "/assets/__proto__",
    "/assets/constructor",
  ])("do not include %s", async (path) => {
    const received = await getRaw(path);
    expect(received).toMatch(/^HTTP\/1.1 4\d\d /);
    expect(received).not.toContain("not for the page");
  });

  it("are read once, and stay the same when the files are replaced", async () => {
    expect(await (await fetch(`${url}/assets/index-3c4d.css`)).text()).toBe("a{}");
    rmSync(join(folder, "dashboard"), { recursive: true });
    expect(await (await fetch(`${url}/assets/index-3c4d.css`)).text()).toBe("a{}");
    expect((await fetch(url, { headers: html })).status).toBe(200);
  });
});

it("a page that was not built is an error for a browser, and served once it is built", async () => {
  const missing = await fetch(url, { headers: html });
  expect([missing.status, missing.headers.get("content-type")]).toEqual([503, "text/plain; charset=utf-8"]);
  expect(await missing.text()).toContain("npm run build");
  expect(headersOf(missing)).toMatchObject(hardened);
  expect((await fetch(url)).status).toBe(200);
  build();
  expect((await fetch(url, { headers: html })).status).toBe(200);
});

it("a page that could not be read is read again at the next request", async () => {
  build();
  const index = join(folder, "dashboard", "index.html");
  rmSync(index);
  mkdirSync(index); // reading a folder fails, and not with ENOENT
  expect((await fetch(url, { headers: html })).status).toBe(500);
  rmSync(index, { recursive: true });
  build();
  expect((await fetch(url, { headers: html })).status).toBe(200);
});
