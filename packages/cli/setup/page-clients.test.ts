import { clientNameOf } from "@curlew/gateway/turn/client-name.js";
import { describe, expect, it } from "vitest";
import { turnsDuring } from "../../../testing/event-loop.js";
import { clients } from "./clients.js";
import { listClients } from "./page-clients.js";

const machine = { env: {}, platform: "linux", homeDirectory: "/home/me" } as const;
const asked = {
  url: "http://127.0.0.1:32124",
  asksForKey: false,
  contextTokens: undefined,
  machine,
  seen: [],
};

describe("the clients", () => {
  it("are all that can be set up, each with a file that parses in its own format", async () => {
    const answer = await listClients(asked);
    expect(answer.clients.map(({ name }) => name)).toEqual(clients.map(({ name }) => name));
    for (const { name, snippet, setup } of answer.clients) {
      const { file } = clients.find((client) => client.name === name) ?? {};
      expect(setup).toBe(`curlew setup ${name}`);
      expect(snippet === null).toBe(file === undefined);
      if (snippet !== null) expect(file?.format.parse(snippet.text)).not.toEqual({});
    }
    expect(answer.clients.find(({ name }) => name === "codex")?.snippet?.path).toBe("~/.codex/config.toml");
    expect(answer.clients.find(({ name }) => name === "litellm")?.snippet?.path).toBe("litellm_config.yaml");
  });

  it("get the address by which the page was reached, and the size of the context", async () => {
    const url = "https://curlew.example";
    const { baseUrls, clients: listed } = await listClients({ ...asked, url, contextTokens: 123_456 });
    expect(baseUrls).toEqual({ openai: `${url}/v1`, anthropic: url });
    const opencode = listed.find(({ name }) => name === "opencode");
    expect(opencode?.setup).toBe(`curlew setup opencode --url ${url}`);
    expect(opencode?.snippet?.text).toContain(`${url}/v1`);
    expect(opencode?.snippet?.text).toContain("123456");
  });

  it("are listed without blocking the event loop", async () => {
    expect(await turnsDuring(() => listClients(asked))).toBeGreaterThanOrEqual(clients.length - 1);
  });

  it("are those that were seen; others are listed separately", async () => {
    const seen = [
      { name: "codex", lastSeenMs: 30, requests: 5 },
      { name: "OpenAI/JS", lastSeenMs: 20, requests: 4 },
      { name: "playground", lastSeenMs: 9, requests: 3 },
      { name: "", lastSeenMs: 8, requests: 1 },
    ];
    const { clients: listed, others } = await listClients({ ...asked, seen });
    expect(listed.find(({ name }) => name === "codex")).toMatchObject({ lastSeenMs: 30, requests: 5 });
    expect(listed.find(({ name }) => name === "zed")).toMatchObject({ lastSeenMs: null, requests: 0 });
    expect(others).toEqual([
      { name: "OpenAI/JS", lastSeenMs: 20, requests: 4 },
      { name: "unknown", lastSeenMs: 8, requests: 1 },
    ]);
  });
});

describe("the client of a user agent", () => {
  it.each(clients.filter(({ name }) => name !== "env").map(({ name }) => name))(
    "has the name that setup uses: %s",
    (name) => {
      expect(clientNameOf(`${name}/1.0`)).toBe(name);
      expect(clientNameOf(`${name.toUpperCase()}/v2.3.4-beta`)).toBe(name);
    },
  );
});
