import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Settings } from "../packages/cli/config/settings.js";
import { postJson } from "../testing/clients/post-json.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

let system: WholeSystem;
afterEach(() => system.close());

const start = async (options: Partial<Settings> = {}) => {
  system = await startWholeSystem({}, { passThrough: true, apiKey: undefined, ...options });
};

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly calls: readonly { id: string }[];
  readonly continuity: string | null;
}

async function ask(
  headers: Record<string, string>,
  content = "[[say hello]]",
  more: readonly object[] = [],
): Promise<Answer> {
  const response = await postJson(
    `${system.url}/v1/chat/completions`,
    {
      model: "auto",
      messages: [{ role: "user", content }, ...more],
      tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
    },
    headers,
  );
  const body = (await response.json()) as {
    choices?: [{ message: { content: string | null; tool_calls?: { id: string }[] } }];
    error?: { message: string };
  };
  const message = body.choices?.[0].message;
  return {
    status: response.status,
    text: message?.content ?? body.error?.message ?? "",
    calls: message?.tool_calls ?? [],
    continuity: response.headers.get("x-curlew-continuity"),
  };
}

async function session(): Promise<string> {
  const poll = () => fetch(`${system.simulator.url}/auth/poll?uuid=any&verifier=${"v".repeat(43)}`);
  await poll();
  return ((await (await poll()).json()) as { accessToken: string }).accessToken;
}

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });

describe("in pass-through mode", () => {
  it("the API key of a caller is exchanged once for all its requests", async () => {
    await start();
    for (let round = 0; round < 3; round++) expect(await ask(bearer("crsr_caller"))).toMatchObject({ text: "hello" });
    expect(await ask({ "x-api-key": "crsr_caller" })).toMatchObject({ text: "hello" });
    expect(system.simulator.stats().exchanges).toBe(1);
    await ask(bearer("crsr_another"));
    expect(system.simulator.stats().exchanges).toBe(2);
  });

  it.each([
    ["a session token", (token: string) => token],
    ["the value of the web cookie", (token: string) => `user_01::${token}`],
    ["the web cookie with its name", (token: string) => `WorkosCursorSessionToken=user_01%3A%3A${token}`],
  ])("%s is used without an exchange", async (_, write) => {
    await start();
    const token = await session();
    expect(await ask(bearer(write(token)))).toMatchObject({ status: 200, text: "hello" });
    expect(system.simulator.stats().exchanges).toBe(0);
  });

  it("a caller gets the list of models with its own credential", async () => {
    await start();
    const models = (headers: Record<string, string>) => fetch(`${system.url}/v1/models`, { headers });
    expect((await models({})).status).toBe(401);
    const response = await models(bearer("crsr_caller"));
    expect(((await response.json()) as { data: unknown[] }).data.length).toBeGreaterThan(3);
  });

  it.each([
    ["crsr_bad", "Cursor refused the API key from this request"],
    ["sk-something-else", "The credential in this request is not a Cursor API key or token"],
    ["eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "Cursor refused the token from this request"],
  ])("%s gets 401, with what to send instead", async (credential, message) => {
    await start({ apiKey: "crsr_owner" });
    const { status, text } = await ask(bearer(credential));
    expect(status).toBe(401);
    expect(text).toContain(message);
    expect(text).toContain("of your own Cursor account");
    expect(text).not.toContain(credential);
    expect(system.simulator.stats().runs).toBeLessThanOrEqual(1);
  });

  it("a request without a credential uses the gateway's own, if there is one", async () => {
    await start();
    expect(await ask({})).toMatchObject({ status: 401, text: expect.stringContaining("curlew login") });
    await system.close();
    await start({ apiKey: "crsr_owner" });
    expect(await ask({})).toMatchObject({ status: 200, text: "hello" });
  });

  it("a caller cannot continue the conversation of another", async () => {
    await start();
    const prompt = "[[call look {}]] [[say done]]";
    const { calls } = await ask(bearer("crsr_first"), prompt);
    const id = calls[0]?.id ?? "";
    const call = { id, type: "function", function: { name: "look", arguments: "{}" } };
    const history = [
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: "seen" },
    ];
    expect(await ask(bearer("crsr_second"), prompt, history)).toMatchObject({ continuity: "cold:unknown-call" });
    expect(await ask(bearer("crsr_first"), prompt, history)).toMatchObject({ continuity: "warm" });
  });

  it("the gateway's key has its own header", async () => {
    const key = "gateway-key-0123456789";
    await start({ key });
    expect(await ask(bearer(key))).toMatchObject({ status: 401, text: expect.stringContaining("x-curlew-key") });
    expect(await ask({ ...bearer("crsr_caller"), "x-curlew-key": key })).toMatchObject({ status: 200, text: "hello" });
  });

  it("a caller with another account does not see the owner's sums, plan, metrics or health", async () => {
    await start({ apiKey: "crsr_owner" });
    const get = (path: string, headers: Record<string, string> = {}) => fetch(`${system.url}${path}`, { headers });
    await ask({});
    for (const path of ["/v1/usage", "/metrics"]) {
      const refused = await get(path, bearer("crsr_caller"));
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ error: { code: "owner_only" } });
      expect([401, 403]).toContain((await get(path, { "x-api-key": "sk-no-credential" })).status);
      expect((await get(path)).status).toBe(200);
    }
    const fields = async (headers?: Record<string, string>) =>
      Object.keys((await (await get("/health", headers)).json()) as object);
    expect(await fields(bearer("crsr_caller"))).toEqual(["status", "version", "backend", "updated"]);
    expect((await fields()).length).toBeGreaterThan(3);
  });

  it("a caller's credential is never written to disk", async () => {
    await start();
    await ask(bearer("crsr_caller_secret_0123"));
    const files = readdirSync(system.home, { recursive: true, encoding: "utf8" })
      .map((name) => join(system.home, name))
      .filter((path) => statSync(path).isFile());
    for (const path of files) expect(readFileSync(path).includes("crsr_caller_secret")).toBe(false);
  });
});

it("without that mode, the credential of a request is ignored", async () => {
  system = await startWholeSystem();
  expect(await ask(bearer("crsr_bad"))).toMatchObject({ status: 200, text: "hello" });
});

describe("without pass-through mode", () => {
  const warningsFor = async (headers: Record<string, string>) => {
    const response = await postJson(
      `${system.url}/v1/chat/completions`,
      { model: "auto", messages: [{ role: "user", content: "[[say hello]]" }] },
      headers,
    );
    return {
      status: response.status,
      warnings: response.headers.get("x-curlew-warnings"),
      text: await response.text(),
    };
  };

  it.each([
    ["the web cookie", bearer("user_01J%3A%3AeyJhbGciOiJIUzI1NiJ9.e30.x")],
    ["the web cookie, decoded", bearer("user_01J::eyJhbGciOiJIUzI1NiJ9.e30.x")],
    ["the web cookie with its name", bearer("WorkosCursorSessionToken=user_01J%3A%3AeyJh.e30.x")],
    ["an API key of Cursor's", { "x-api-key": "crsr_mine" }],
  ])("a client that sends %s gets a warning that it is not used", async (_, headers) => {
    system = await startWholeSystem();
    const { status, warnings } = await warningsFor(headers);
    expect(status).toBe(200);
    expect(warnings).toContain("--pass-through");
    expect(warnings).not.toContain("eyJ");
  });

  it("other clients get none", async () => {
    system = await startWholeSystem();
    expect((await warningsFor(bearer("anything"))).warnings).toBeNull();
    expect((await warningsFor({})).warnings).toBeNull();
  });

  it("the refusal without the gateway's key has the same hint", async () => {
    system = await startWholeSystem({}, { key: "the-key-of-the-gateway" });
    const refused = await warningsFor(bearer("user_01J%3A%3AeyJhbGciOiJIUzI1NiJ9.e30.x"));
    expect(refused.status).toBe(401);
    expect(refused.text).toContain("--pass-through");
    expect((await warningsFor(bearer("wrong"))).text).not.toContain("--pass-through");
  });
});
