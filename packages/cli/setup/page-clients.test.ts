import { withoutVersion } from "@curlew/page/views/seen-clients.js";
import { describe, expect, it } from "vitest";
import { turnsDuring } from "../../../testing/event-loop.js";
import { clients } from "./clients.js";
import { listClients, setupNameOf } from "./page-clients.js";

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

  it("are matched by all names of a client; unknown ones are listed separately", async () => {
    const seen = [
      { name: "codex_exec", lastSeenMs: 30, requests: 2 },
      { name: "OpenAI/JS", lastSeenMs: 20, requests: 4 },
      { name: "codex_cli_rs", lastSeenMs: 10, requests: 3 },
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

describe("a user agent", () => {
  it.each([
    ["claude-cli/2.1.0", "claude"],
    ["codex_cli_rs/0.166.0", "codex"],
    ["codex-tui/0.166.0", "codex"],
    ["Cline/v3.2", "cline"],
    ["OpenAI/JS", undefined],
    ["codexify/1", undefined],
    ["constructor", undefined],
    ["", undefined],
  ])("of %j is that of %s", (client, name) => {
    expect(setupNameOf(withoutVersion(client))).toBe(name);
    if (name !== undefined) expect(clients.map((each) => each.name)).toContain(name);
  });
});
