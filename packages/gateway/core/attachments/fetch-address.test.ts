import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { type PictureHost, startPictureHost } from "../../../../testing/network/picture-host.js";
import { publicOnly } from "./address-policy.js";
import { type FetchRequest, fetchAddress, type Reach } from "./fetch-address.js";

const content = Buffer.from("a picture");
const loopback = (host: string) => host === "127.0.0.1" || host.endsWith(".test");

async function hostOf(answer: RequestListener): Promise<PictureHost> {
  const host = await startPictureHost(answer);
  onTestFinished(host.close);
  return host;
}

const answers = (response: ServerResponse, headers: Record<string, string | number> = {}) =>
  response.writeHead(200, { "content-type": "image/png", ...headers }).end(content);

function fetchIt(
  url: string,
  {
    signal = new AbortController().signal,
    reach = {},
    ...request
  }: Partial<FetchRequest> & { signal?: AbortSignal; reach?: Partial<Reach> } = {},
) {
  const lookup = async () => [{ address: "127.0.0.1", family: 4 }];
  return fetchAddress(
    url,
    { accept: "image/*", maxBytes: 1_000, maxMs: 5_000, maxRedirects: 3, checkType: () => {}, ...request },
    { allows: loopback, lookup, ...reach },
    signal,
  );
}

const refusal = (words: string) => ({ code: "fetch_failed", message: expect.stringContaining(words) });

describe("fetching", () => {
  it("gets the content and sends no credentials", async () => {
    const host = await hostOf((_, response) => answers(response));
    expect(await fetchIt(`${host.url}/a.png?x=1`)).toEqual(content);
    const { url, method, headers } = host.requests[0] ?? {};
    expect({ url, method }).toEqual({ url: "/a.png?x=1", method: "GET" });
    expect(headers).toEqual({
      host: new URL(host.url).host,
      accept: "image/*",
      "accept-encoding": "identity",
      "user-agent": "curlew",
      connection: "close",
    });
  });

  it("follows absolute and relative redirects, up to a limit", async () => {
    const host = await hostOf(({ url = "", headers }, response) => {
      const left = Number(url.slice(1));
      if (left === 0) return answers(response);
      const location = left % 2 === 0 ? `/${left - 1}` : `http://${headers.host}/${left - 1}`;
      response.writeHead([301, 302, 307][left - 1] ?? 308, { location }).end();
    });
    expect(await fetchIt(`${host.url}/3`)).toEqual(content);
    await expect(fetchIt(`${host.url}/4`)).rejects.toMatchObject(refusal("more than 3 times"));
    expect(host.requests).toHaveLength(8);
  });

  it.each([
    ["without an address", undefined],
    ["with an invalid address", "http://"],
  ])("refuses a redirect %s", async (_, location) => {
    const host = await hostOf((__, response) =>
      response.writeHead(302, location === undefined ? {} : { location }).end(),
    );
    const words = location === undefined ? "more than 3 times" : "invalid address";
    await expect(fetchIt(`${host.url}/`)).rejects.toMatchObject(refusal(words));
  });

  it("reports every other status", async () => {
    const host = await hostOf((_, response) => response.writeHead(404).end("no such picture"));
    await expect(fetchIt(`${host.url}/?secret=1`)).rejects.toMatchObject(refusal("status 404"));
    const failure: unknown = await fetchIt(`${host.url}/?secret=1`).catch((thrown: unknown) => thrown);
    expect(String(failure)).not.toContain("secret");
  });

  it("lets the type be refused before anything is read", async () => {
    const host = await hostOf((_, response) =>
      response.writeHead(200, { "content-type": "Text/HTML; charset=x" }).flushHeaders(),
    );
    const seen: string[] = [];
    const checkType = (type: string) => {
      seen.push(type);
      throw new Error("no");
    };
    await expect(fetchIt(host.url, { checkType })).rejects.toMatchObject({ code: "fetch_failed" });
    expect(seen).toEqual(["text/html"]);
  });
});

describe("content that is too large", () => {
  it("is refused by its content-length", async () => {
    const host = await hostOf((_, response) => response.writeHead(200, { "content-length": 2_000 }).flushHeaders());
    await expect(fetchIt(host.url)).rejects.toMatchObject(refusal("larger than"));
  });

  it("is aborted at the limit without a content-length", async () => {
    const host = await hostOf((_, response) => {
      response.writeHead(200);
      const more = () => response.write(Buffer.alloc(400)) && setImmediate(more);
      more();
      response.on("drain", more);
    });
    await expect(fetchIt(host.url)).rejects.toMatchObject(refusal("larger than"));
    const [response] = host.responses;
    if (response?.closed === false) await once(response, "close");
  });

  it("begins one byte above the limit", async () => {
    const host = await hostOf((_, response) => answers(response));
    expect(await fetchIt(host.url, { maxBytes: content.length })).toEqual(content);
    await expect(fetchIt(host.url, { maxBytes: content.length - 1 })).rejects.toMatchObject(refusal("larger than"));
  });
});

describe("a slow fetch", () => {
  it.each([
    ["before its head", () => {}],
    ["in its body", (_: unknown, response: ServerResponse) => void response.writeHead(200).write("a")],
  ])("times out %s", async (_, answer: RequestListener) => {
    const host = await hostOf(answer);
    await expect(fetchIt(host.url, { maxMs: 100 })).rejects.toMatchObject(refusal("longer than 0.1 seconds"));
  });

  it("times out over all redirects together", async () => {
    const host = await hostOf((_, response) => {
      setTimeout(() => response.writeHead(302, { location: "/" }).end(), 70);
    });
    await expect(fetchIt(host.url, { maxMs: 100 })).rejects.toMatchObject(refusal("longer than 0.1 seconds"));
  });

  it("is aborted when the client leaves", async () => {
    const client = new AbortController();
    const host = await hostOf(() => client.abort());
    await expect(fetchIt(host.url, { signal: client.signal })).rejects.toMatchObject({ code: "canceled" });
    const [response] = host.responses;
    if (response?.closed === false) await once(response, "close");
  });
});

describe("a private address", () => {
  const spellings = ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "017700000001", "[::1]", "[::ffff:127.0.0.1]", "0"];
  it.each([...spellings, "localhost", "LOCALHOST.", "a.localhost", "metadata.google.internal", "169.254.169.254"])(
    "is refused under the name %s",
    async (name) => {
      const host = await hostOf((_, response) => answers(response));
      const { port } = new URL(host.url);
      await expect(fetchIt(`http://${name}:${port}/`, { reach: { allows: publicOnly } })).rejects.toMatchObject(
        refusal("not on the public internet"),
      );
      expect(host.requests).toHaveLength(0);
    },
  );

  it("is refused when a name resolves to it, alone or among others", async () => {
    const host = await hostOf((_, response) => answers(response));
    const { port } = new URL(host.url);
    for (const addresses of [["127.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["2606:4700::1", "::ffff:10.0.0.1"], []]) {
      const lookup = async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      await expect(
        fetchIt(`http://pictures.example:${port}/`, { reach: { allows: publicOnly, lookup } }),
      ).rejects.toMatchObject(refusal("not on the public internet"));
    }
    expect(host.requests).toHaveLength(0);
  });

  it("is not reached by DNS rebinding: each name is resolved once", async () => {
    const host = await hostOf((_, response) => answers(response));
    const asked: string[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      return [{ address: asked.length === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }];
    };
    expect(await fetchIt(host.url.replace("127.0.0.1", "pictures.test"), { reach: { lookup } })).toEqual(content);
    expect(asked).toEqual(["pictures.test"]);
  });

  it.each([
    ["http://127.0.0.2/", "not on the public internet"],
    ["http://localhost/", "not on the public internet"],
    ["http://[::1]/", "not on the public internet"],
    ["file:///etc/passwd", "neither http nor https"],
    ["http://u:p@127.0.0.1/", "user name or password"],
  ])("is refused in a redirect to %s", async (location, words) => {
    const host = await hostOf((_, response) => response.writeHead(302, { location }).end());
    await expect(fetchIt(host.url)).rejects.toMatchObject(refusal(words));
    expect(host.requests).toHaveLength(1);
  });

  it("is refused in a redirect to a name that resolves to it", async () => {
    const host = await hostOf((_, response) => response.writeHead(302, { location: "http://inside.test/" }).end());
    const lookup = async () => [{ address: "10.0.0.1", family: 4 }];
    await expect(fetchIt(host.url, { reach: { lookup } })).rejects.toMatchObject(refusal("not on the public internet"));
  });

  it("with a password is refused without repeating the password", async () => {
    const failure: unknown = await fetchIt("http://me:hunter2@pictures.test/").catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject(refusal("user name or password"));
    expect(String(failure)).not.toContain("hunter2");
  });
});

describe("a connection that fails", () => {
  it("is reported by its kind", async () => {
    const host = await hostOf((_, response) => answers(response));
    await expect(fetchIt(host.url.replace("http:", "https:"))).rejects.toMatchObject(refusal("TLS connection failed"));
    await host.close();
    await expect(fetchIt(host.url)).rejects.toMatchObject(refusal("ECONNREFUSED"));
    const lookup = async () => {
      throw Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
    };
    await expect(fetchIt("http://nowhere.test/", { reach: { lookup } })).rejects.toMatchObject(
      refusal("cannot be resolved"),
    );
  });

  it("in the middle of the content is reported too", async () => {
    const host = await hostOf((_, response) => {
      response.writeHead(200, { "content-length": 100 }).write("a", () => response.destroy());
    });
    await expect(fetchIt(host.url)).rejects.toMatchObject(refusal("the connection failed"));
  });
});
