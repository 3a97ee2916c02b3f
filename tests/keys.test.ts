import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { eventNames } from "../src/events/channels.js";
import type { RequestRecord } from "../src/events/index.js";
import { type KeyLimits, makeKey, type StoredKey, writeKeys } from "../src/keys/index.js";
import { chat, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem, type TestSettings, type WholeSystem } from "../testing/gateway/whole-system.js";
import { runCurlew, serveCurlew } from "../testing/programs/curlew-process.js";

const SINGLE = "the-single-key-0123";
const hello = [{ role: "user" as const, content: "[[say hello]]" }];

describe("a gateway with named keys", () => {
  let system: WholeSystem;
  let stored: StoredKey[] = [];
  afterEach(() => system.close());

  async function start(settings: TestSettings = {}): Promise<void> {
    system = await startWholeSystem({}, settings);
    stored = [];
  }

  function add(name: string, limits: KeyLimits = {}): string {
    const made = makeKey(name, limits, Date.now());
    stored.push(made.stored);
    writeKeys(join(system.home, "keys.json"), stored);
    return made.secret;
  }

  function revoke(name: string): void {
    stored = stored.filter((each) => each.name !== name);
    writeKeys(join(system.home, "keys.json"), stored);
  }

  function post(path: string, key: string | undefined, body: object, headers: Record<string, string> = {}) {
    return fetch(`${system.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }), ...headers },
      body: JSON.stringify({ model: "auto", ...body }),
    });
  }

  const statusOf = async (key: string | undefined, headers?: Record<string, string>) => {
    const response = await post("/v1/chat/completions", key, { messages: hello }, headers);
    await response.text();
    return response.status;
  };

  it("asks for one as soon as there is one, and lets each in until it is revoked, without a restart", async () => {
    await start();
    expect(await statusOf(undefined)).toBe(200);
    const laptop = add("laptop");
    const phone = add("phone");
    await expect.poll(() => statusOf(undefined)).toBe(401);
    expect([await statusOf(laptop), await statusOf(phone), await statusOf("curlew_wrong")]).toEqual([200, 200, 401]);
    revoke("laptop");
    await expect.poll(() => statusOf(laptop)).toBe(401);
    expect(await statusOf(phone)).toBe(200);
    revoke("phone");
    await expect.poll(() => statusOf(phone)).toBe(401);
    expect(await statusOf(undefined)).toBe(401);
  });

  it("takes the single key beside them, whose conversations are found again", async () => {
    await start({ key: SINGLE });
    const tools = [tool("look")];
    const asked = { role: "user" as const, content: "[[call look {}]] then" };
    const first = await chat(system.url, [asked], { tools, key: SINGLE });
    add("laptop");
    const results = first.calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "seen" }));
    const next = await chat(system.url, [asked, first.message, ...results], { tools, key: SINGLE });
    expect(next.continuity).toBe("warm");
    expect(system.simulator.stats().runs).toBe(1);
  });

  it("never shows one key what belongs to another", async () => {
    await start();
    const keys = [add("laptop"), add("phone")] as const;
    await expect.poll(() => statusOf(undefined)).toBe(401);

    // A run that waits for results.
    const tools = [tool("look")];
    const asked = { role: "user" as const, content: "[[call look {}]] then" };
    const first = await chat(system.url, [asked], { tools, key: keys[0] });
    const results = first.calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "seen" }));
    const transcript = [asked, first.message, ...results];
    const foreign = await chat(system.url, transcript, { tools, key: keys[1] });
    expect(foreign.continuity).toMatch(/^cold:/);
    expect((await chat(system.url, transcript, { tools, key: keys[0] })).continuity).toBe("warm");

    // A stored response, and one that is made in the background.
    for (const background of [false, true]) {
      const made = await post("/v1/responses", keys[0], { input: "[[say hello]]", background, store: true });
      const { id } = (await made.json()) as { id: string };
      const read = (key: string) =>
        fetch(`${system.url}/v1/responses/${id}`, { headers: { authorization: `Bearer ${key}` } });
      expect((await read(keys[1])).status).toBe(404);
      expect((await read(keys[0])).status).toBe(200);
      const goOn = { input: "[[say more]]", previous_response_id: id };
      expect((await post("/v1/responses", keys[1], goOn)).status).toBe(400);
      await expect
        .poll(async () => ((await (await read(keys[0])).json()) as { status: string }).status)
        .toBe("completed");
      expect((await post("/v1/responses", keys[0], goOn)).status).toBe(200);
    }

    // A reply that is still being made.
    const endless = { input: "[[say begun]] [[wait 3600000]]", background: true, store: true };
    const { id } = (await (await post("/v1/responses", keys[0], endless)).json()) as { id: string };
    const frames = (key: string) =>
      fetch(`${system.url}/v1/responses/${id}?stream=true`, { headers: { authorization: `Bearer ${key}` } });
    expect((await frames(keys[1])).status).toBe(404);
    expect((await post(`/v1/responses/${id}/cancel`, keys[1], {})).status).toBe(404);
    const mine = await frames(keys[0]);
    expect(mine.headers.get("content-type")).toContain("text/event-stream");
    expect((await post(`/v1/responses/${id}/cancel`, keys[0], {})).status).toBe(200);
    expect(await mine.text()).toContain("response.created");

    // A reply that a repeated request may join.
    const named = { "idempotency-key": "the-same-request" };
    const joined = async (key: string) => {
      const response = await post("/v1/chat/completions", key, { messages: hello }, named);
      await response.text();
      return response.headers.get("x-curlew-joined");
    };
    expect(await Promise.all(keys.map(joined))).toEqual([null, null]);
  });

  it("refuses the next message on a WebSocket whose key was revoked, and closes it", async () => {
    await start();
    const laptop = add("laptop");
    add("phone");
    await expect.poll(() => statusOf(undefined)).toBe(401);
    const address = `${system.url.replace("http", "ws")}/v1/responses`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${laptop}` } });
    await once(socket, "open");
    const messages: { type: string; error?: { code: string } }[] = [];
    socket.on("message", (data) => messages.push(JSON.parse(String(data))));
    const ask = () => socket.send(JSON.stringify({ type: "response.create", model: "auto", input: "[[say hello]]" }));
    ask();
    await expect.poll(() => messages.at(-1)?.type).toBe("response.completed");
    revoke("laptop");
    await expect.poll(() => statusOf(laptop)).toBe(401);
    const runs = system.simulator.stats().runs;
    const closed = once(socket, "close");
    ask();
    ask();
    const [code] = await closed;
    expect(code).toBe(1008);
    expect(messages.filter(({ type }) => type === "error")).toMatchObject([{ error: { code: "invalid_gateway_key" } }]);
    expect(system.simulator.stats().runs).toBe(runs);
  });

  it("takes them as x-curlew-key in pass-through mode", async () => {
    await start({ passThrough: true, apiKey: undefined });
    const laptop = add("laptop");
    const own = { authorization: "Bearer crsr_caller" };
    await expect.poll(() => statusOf(undefined, own)).toBe(401);
    expect(await statusOf(undefined, { ...own, "x-curlew-key": laptop })).toBe(200);
    expect(await statusOf(undefined, { ...own, "x-curlew-key": "curlew_wrong" })).toBe(401);
  });

  it("books requests under the name of their key, or else under the client's product", async () => {
    await start({ key: SINGLE });
    const laptop = add("laptop");
    await expect.poll(() => statusOf(laptop)).toBe(200);
    const seen: [string, string][] = [];
    const listen = (message: unknown) => {
      const { client, caller } = message as RequestRecord;
      seen.push([client, caller]);
    };
    const [received] = eventNames;
    subscribe(received, listen);
    await statusOf(laptop, { "user-agent": "claude-cli/2.1 (external)" });
    await statusOf(SINGLE, { "user-agent": "claude-cli/2.1 (external)" });
    // An address that is written otherwise goes through the router.
    expect((await post("/v1/chat/%63ompletions", laptop, { messages: hello })).status).toBe(200);
    unsubscribe(received, listen);
    const callers = new Set(seen.map(([, caller]) => caller));
    expect(seen.map(([client]) => client)).toEqual(["laptop", "claude-cli/2.1", "laptop"]);
    expect(callers.size).toBe(2);
  });

  it("shows its whole health to a holder of a key alone", async () => {
    await start();
    const laptop = add("laptop");
    await expect.poll(() => statusOf(undefined)).toBe(401);
    const health = async (key: string) =>
      Object.keys((await (await fetch(`${system.url}/health`, { headers: { "x-api-key": key } })).json()) as object);
    expect(await health("curlew_wrong")).toEqual(["status", "version", "backend"]);
    expect((await health(laptop)).length).toBeGreaterThan(3);
  });
});

describe("curlew keys", () => {
  let home = "";
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "curlew-keys-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const keys = (...args: string[]) => runCurlew(["keys", ...args], { env: { CURLEW_HOME: home } });
  const fileText = () => readFileSync(join(home, "keys.json"), "utf8");

  it("adds a key, shows it once and keeps its hash, in a file for its owner alone", async () => {
    const added = await keys("add", "laptop", "--day-tokens", "1000000", "--hour-requests", "50");
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining("shown only once") });
    const secret = added.stdout.trim();
    expect(secret).toMatch(/^curlew_[\w-]{43}$/);
    expect(fileText()).not.toContain(secret.slice("curlew_".length));
    expect(statSync(join(home, "keys.json")).mode & 0o777).toBe(0o600);
    const listed = await keys("list");
    expect(listed.stdout).toMatch(/^laptop +\d{4}-\d\d-\d\d +50 requests an hour, 1000000 tokens a day$/m);
    expect(listed.stdout + listed.stderr).not.toContain(secret);
  });

  it("prints JSON", async () => {
    const added = JSON.parse((await keys("add", "laptop", "--conversation-dollars", "2.50", "--json")).stdout);
    expect(added).toEqual({
      name: "laptop",
      key: expect.stringMatching(/^curlew_/),
      limits: { conversation: { dollars: 2.5 } },
    });
    expect(JSON.parse((await keys("--json")).stdout)).toEqual([
      { name: "laptop", created: expect.stringMatching(/^\d{4}-/), limits: { conversation: { dollars: 2.5 } } },
    ]);
    expect(JSON.parse((await keys("limit", "laptop", "--day-tokens", "5", "--json")).stdout)).toEqual({
      name: "laptop",
      limits: { day: { tokens: 5 }, conversation: { dollars: 2.5 } },
    });
    expect(JSON.parse((await keys("revoke", "laptop", "--json")).stdout)).toEqual({ revoked: "laptop", left: 0 });
  });

  it("changes the ceilings of a key without changing the key", async () => {
    await keys("add", "laptop", "--day-tokens", "5");
    const hashOf = () => JSON.parse(fileText()).keys[0].sha256;
    const before = hashOf();
    const limit = async (...args: string[]) => (await keys("limit", "laptop", ...args)).stdout;
    expect(await limit("--day-tokens", "6")).toBe("Limits of laptop: 6 tokens a day.\n");
    expect(await limit("--hour-dollars", "1.5")).toBe("Limits of laptop: 1.5 dollars an hour, 6 tokens a day.\n");
    expect(await limit("--day-tokens", "none", "--hour-dollars", "2")).toBe("Limits of laptop: 2 dollars an hour.\n");
    expect(await limit("--hour-dollars", "none")).toBe("Limits of laptop: none.\n");
    expect(hashOf()).toBe(before);
  });

  it("revokes a key, and says that a gateway goes on asking for one", async () => {
    await keys("add", "laptop");
    const revoked = await keys("revoke", "laptop");
    expect(revoked).toMatchObject({ code: 0, stdout: "The key of laptop is revoked.\n" });
    expect(revoked.stderr).toContain(`remove ${join(home, "keys.json")}`);
    expect((await keys()).stdout).toBe("There are no named keys. To make one: curlew keys add NAME\n");
  });

  it.each([
    [["add"], 2, "Usage: curlew keys add [options] <name>"],
    [["constructor"], 2, "Unknown command keys constructor."],
    [["list", "laptop"], 2, 'Unexpected argument "laptop".'],
    [["add", "a b"], 2, "The name of a key has"],
    [["add", "../x"], 2, "The name of a key has"],
    [["add", "x".repeat(65)], 2, "The name of a key has"],
    [["add", "playground"], 2, "playground is the name of the page's own requests. Take another."],
    [["add", "x", "--day-tokens", "0"], 2, "--day-tokens must be a whole number from 1"],
    [["add", "x", "--day-tokens", "many"], 2, "--day-tokens must be a whole number from 1"],
    [["add", "x", "--hour-dollars", "1.00001"], 2, "--hour-dollars must be an amount of dollars"],
    [["revoke", "taken", "--day-tokens", "5"], 2, "Unknown option --day-tokens."],
    [["add", "taken"], 1, "There is a key taken already."],
    [["revoke", "takn"], 1, "There is no key of that name. Did you mean taken?"],
    [["limit", "taken"], 2, "Name a limit"],
    [["limit", "nobody-at-all", "--day-tokens", "1"], 1, "There is no key of that name."],
  ])("refuses %j", async (args, code, text) => {
    writeKeys(join(home, "keys.json"), [makeKey("taken", {}, 0).stored]);
    expect(await keys(...args)).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(text) });
  });

  it("changes nothing in a file that it cannot read", async () => {
    writeFileSync(join(home, "keys.json"), "{");
    for (const args of [["add", "laptop"], ["list"], ["revoke", "laptop"]]) {
      expect(await keys(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining("Mend it") });
    }
    expect(fileText()).toBe("{");
  });

  it("let a gateway start on an address that others can reach", async () => {
    const env = { CURLEW_HOME: home, CURLEW_BACKEND: "simulator" };
    const refused = await runCurlew(["serve", "--host", "0.0.0.0", "--port", "0"], { env });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("curlew keys add NAME") });
    const { stdout } = await keys("add", "laptop");
    const { url } = await serveCurlew(["--host", "0.0.0.0"], { env });
    const models = (headers: Record<string, string>) => fetch(`${url}/v1/models`, { headers });
    expect((await models({})).status).toBe(401);
    expect((await models({ "x-api-key": stdout.trim() })).status).toBe(200);
    rmSync(join(home, "keys.json"));
    await expect.poll(async () => (await models({ "x-api-key": stdout.trim() })).status).toBe(401);
    expect((await models({})).status).toBe(401);
  });
});
