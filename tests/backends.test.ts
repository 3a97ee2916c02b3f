import { describe, expect, it } from "vitest";
import type { SimulatorStart } from "../packages/simulator/index.js";
import { postJson } from "../testing/clients/post-json.js";
import { type ChatMessage, chat, result, tool } from "../testing/clients/tool-client.js";
import { openWholeSystem, startWholeSystem, type TestSettings } from "../testing/gateway/whole-system.js";
import { installFakeCli } from "../testing/simulator/installed-cli.js";
import { startedOnce } from "../testing/started.js";

const fake = startedOnce(() => installFakeCli());

interface BackendUnderTest {
  readonly name: string;
  readonly backend: string;
  readonly simulated?: SimulatorStart;
  readonly options: () => TestSettings;
  /** Why the backend cannot call tools. */
  readonly noTools?: string;
}

const backends: BackendUnderTest[] = [
  { name: "agent over HTTP/2", backend: "agent", options: () => ({ backend: "agent", transport: "h2" }) },
  {
    name: "agent over HTTP/1.1",
    backend: "agent",
    simulated: { transport: "h1" },
    options: () => ({ backend: "agent" }),
  },
  { name: "cli", backend: "cli", options: () => ({ backend: "cli", cliPath: fake.command }) },
  {
    name: "cli in print mode alone",
    backend: "cli",
    options: () => ({ backend: "cli", cliMode: "print", cliPath: fake.command }),
  },
  {
    name: "cli over ACP alone",
    backend: "cli",
    options: () => ({ backend: "cli", cliMode: "acp", cliPath: fake.command }),
  },
  {
    name: "chat",
    backend: "chat",
    simulated: { legacy: "working" },
    options: () => ({ backend: "chat" }),
    noTools: "The old chat calls take no tools of a client.",
  },
];

describe.each(backends)("the backend $name", ({ backend, simulated, options, noTools }) => {
  const system = startedOnce(() => startWholeSystem(simulated, options()));

  it("holds a conversation of two turns", async () => {
    const messages: ChatMessage[] = [{ role: "user", content: "My bird is a curlew. [[say Noted.]]" }];
    const first = await chat(system.url, messages);
    expect(first.text).toBe("Noted.");
    const second = await chat(system.url, [...messages, first.message, { role: "user", content: "Which bird?" }]);
    expect(second.text).toMatch(/Which bird\?.*My bird is a curlew/s);
    expect(second.usage?.prompt_tokens).toBeGreaterThan(0);
  });

  it("calls the client's tool, passes its result on, and continues", async ({ skip }) => {
    if (noTools !== undefined) skip(noTools);
    const tools = [tool("weather", { city: { type: "string" } })];
    const messages: ChatMessage[] = [{ role: "user", content: '[[call weather {"city":"Bern"}]]' }];
    const asked = await chat(system.url, messages, { tools });
    expect(asked.finish).toBe("tool_calls");
    expect(asked.calls).toMatchObject([{ function: { name: "weather", arguments: '{"city":"Bern"}' } }]);
    const history = [...messages, asked.message, result(asked.calls[0], "hail over Bern")];
    const answer = await chat(system.url, history, { tools });
    expect(answer.text).toContain("hail over Bern");
    const next = [...history, answer.message, { role: "user" as const, content: "[[say Bye.]]" }];
    expect((await chat(system.url, next, { tools })).text).toBe("Bye.");
  });

  it("names the backend in the reply and in /health", async () => {
    const response = await postJson(`${system.url}/v1/messages`, {
      model: "auto",
      max_tokens: 99,
      messages: [{ role: "user", content: "[[say hi]]" }],
    });
    expect([response.status, response.headers.get("x-curlew-backend")]).toEqual([200, backend]);
    const health = await (await fetch(`${system.url}/health`)).json();
    expect(health).toMatchObject({
      auth: "authenticated",
      backend,
      backends: { [backend]: { auth: "authenticated", state: "ok", lastError: null } },
    });
    expect(Object.hasOwn(health as object, "transport")).toBe(backend === "agent");
  });

  it("lists its models", async () => {
    const { data } = (await (await fetch(`${system.url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toContain("auto");
  });
});

describe("several backends at once", () => {
  it("each serve the models of their routes", async () => {
    const system = await openWholeSystem({}, { backend: "agent", routes: { "gpt-*": "cli" }, cliPath: fake.command });
    const backendOf = async (model: string) => {
      const messages = [{ role: "user", content: "[[say hi]]" }];
      const response = await postJson(`${system.url}/v1/chat/completions`, { model, messages });
      return [response.status, response.headers.get("x-curlew-backend")];
    };
    expect(await backendOf("auto")).toEqual([200, "agent"]);
    expect(await backendOf("gpt-5.5-medium")).toEqual([200, "cli"]);
  });

  it("fall back to each other if the settings say so, and report it", async () => {
    const options = { backend: "agent", fallback: ["cli"], retries: 0, cliPath: fake.command } as const;
    const system = await openWholeSystem({}, { ...options, agentUrl: "http://127.0.0.1:9" });
    const response = await postJson(`${system.url}/v1/chat/completions`, {
      model: "auto",
      messages: [{ role: "user", content: "[[say here I am]]" }],
    });
    expect(await response.text()).toContain("here I am");
    expect(response.headers.get("x-curlew-backend")).toBe("cli");
    expect(response.headers.get("x-curlew-warnings")).toContain("agent backend failed (upstream_unreachable)");
    const health = await (await fetch(`${system.url}/health`)).json();
    expect(health).toMatchObject({
      backend: "agent",
      backends: {
        agent: { state: "failing", lastError: { code: "upstream_unreachable" } },
        cli: { state: "ok" },
      },
    });
  });
});
