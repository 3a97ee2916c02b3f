import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { RequestRecord } from "../packages/gateway/turn/events/channels.js";
import { eventNames } from "../packages/gateway/turn/events/channels.js";
import { type KeyLimits, makeKey, type StoredKey, writeKeys } from "../packages/meter/keys/index.js";
import { postJson } from "../testing/clients/post-json.js";
import { chat, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem, type TestSettings, type WholeSystem } from "../testing/gateway/whole-system.js";
import { runCurlew, serveCurlew } from "../testing/programs/curlew-process.js";
import { curlewOnTerminal, hasScript, keys as pressed } from "../testing/programs/on-terminal.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

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
    const shown = { ...(key && { authorization: `Bearer ${key}` }), ...headers };
    return postJson(`${system.url}${path}`, { model: "auto", ...body }, shown);
  }

  const statusOf = async (key: string | undefined, headers?: Record<string, string>) => {
    const response = await post("/v1/chat/completions", key, { messages: hello }, headers);
    await response.text();
    return response.status;
  };

  it("requires a key once there is one, and accepts each until it is revoked, without a restart", async () => {
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

  it("accepts the single key beside them, and keeps its conversations", async () => {
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

    // A parked run.
    const tools = [tool("look")];
    const asked = { role: "user" as const, content: "[[call look {}]] then" };
    const first = await chat(system.url, [asked], { tools, key: keys[0] });
    const results = first.calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "seen" }));
    const transcript = [asked, first.message, ...results];
    const foreign = await chat(system.url, transcript, { tools, key: keys[1] });
    expect(foreign.continuity).toMatch(/^cold:/);
    expect((await chat(system.url, transcript, { tools, key: keys[0] })).continuity).toBe("warm");

    // A stored response, and a background response.
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

    // A running reply.
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

    // A reply that a retry may join.
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

  it("accepts them as x-curlew-key in pass-through mode", async () => {
    await start({ passThrough: true, apiKey: undefined });
    const laptop = add("laptop");
    const own = { authorization: "Bearer crsr_caller" };
    await expect.poll(() => statusOf(undefined, own)).toBe(401);
    expect(await statusOf(undefined, { ...own, "x-curlew-key": laptop })).toBe(200);
    expect(await statusOf(undefined, { ...own, "x-curlew-key": "curlew_wrong" })).toBe(401);
  });

  it("books requests under the name of their key, or the client's product", async () => {
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
    // An encoded path misses the exact match of the router.
    expect((await post("/v1/chat/%63ompletions", laptop, { messages: hello })).status).toBe(200);
    unsubscribe(received, listen);
    const callers = new Set(seen.map(([, caller]) => caller));
    expect(seen.map(([client]) => client)).toEqual(["laptop", "claude", "laptop"]);
    expect(callers.size).toBe(2);
  });

  it("prevents guessing the single key on any route, without locking out other clients", async () => {
    await start({ key: SINGLE });
    const laptop = add("laptop");
    await expect.poll(() => statusOf(laptop)).toBe(200);
    const old = await Promise.all(Array.from({ length: 30 }, () => statusOf("curlew_an_old_one")));
    expect(new Set(old)).toEqual(new Set([401]));
    const guesses: number[] = [];
    for (let at = 0; at < 30; at++) guesses.push(await statusOf(`guess ${at}`));
    expect(guesses).toEqual([...Array(8).fill(401), ...Array(22).fill(429)]);
    // The right key counts as a guess, too; random keys need no such limit.
    expect([await statusOf(SINGLE), await statusOf(laptop), await statusOf(undefined)]).toEqual([429, 200, 401]);
    const health = await fetch(`${system.url}/health`, { headers: { "x-api-key": SINGLE } });
    expect(Object.keys((await health.json()) as object)).toEqual(["status", "version", "backend", "updated"]);
    const site = { "sec-fetch-site": "same-origin" };
    const page = await postJson(`${system.url}/admin/api/session`, { key: SINGLE }, site);
    expect(page.status).toBe(429);
  });

  it("keeps accepting the single key from an address where it was used before the guesses", async () => {
    await start({ key: SINGLE });
    expect(await statusOf(SINGLE)).toBe(200);
    for (let at = 0; at < 12; at++) await statusOf(`guess ${at}`);
    expect([await statusOf("guess"), await statusOf(SINGLE)]).toEqual([429, 200]);
  });

  it("shows sums, plan, metrics and full health to the owner's key, and other keys only their own usage", async () => {
    await start({ key: SINGLE });
    const [laptop, phone] = [add("laptop"), add("phone")];
    await expect.poll(() => statusOf(phone)).toBe(200);
    for (const key of [laptop, laptop, SINGLE]) expect(await statusOf(key)).toBe(200);
    // A program of the owner's that is called like the key.
    expect(await statusOf(SINGLE, { "user-agent": "laptop/1.0" })).toBe(200);
    const read = async (path: string, key: string) => {
      const response = await fetch(`${system.url}${path}`, { headers: { "x-api-key": key } });
      const text = await response.text();
      return { status: response.status, text, body: text.startsWith("{") ? JSON.parse(text) : undefined };
    };
    const requests = async (key: string, by = "day") => (await read(`/v1/usage?by=${by}`, key)).body.total.requests;
    await expect.poll(() => requests(SINGLE)).toBeGreaterThanOrEqual(5);
    for (const by of ["day", "model", "hour", "client"]) {
      const { status, text, body } = await read(`/v1/usage?by=${by}`, laptop);
      expect({ status, ...body }).toMatchObject({
        status: 200,
        plan: null,
        data: [{ requests: 2 }],
        total: { requests: 2 },
      });
      expect(body.plan_problem).toContain("owner");
      expect(text).not.toContain("phone");
    }
    const { body: all } = await read("/v1/usage?by=client", SINGLE);
    expect(all.data.map(({ client }: { client: string }) => client)).toEqual(
      expect.arrayContaining(["laptop", "phone", "node"]),
    );
    expect(all.plan).toMatchObject({ percent_used: 31 });

    expect((await read("/metrics", laptop)).body.error).toMatchObject({
      code: "owner_only",
      message: expect.stringContaining("CURLEW_KEY"),
    });
    expect((await read("/metrics", laptop)).status).toBe(403);
    expect((await read("/metrics", SINGLE)).status).toBe(200);
    const health = async (key: string) => Object.keys((await read("/health", key)).body);
    expect(await health("curlew_wrong")).toEqual(["status", "version", "backend", "updated"]);
    expect(await health(laptop)).toEqual(["status", "version", "backend", "updated"]);
    expect((await health(SINGLE)).length).toBeGreaterThan(4);
  });
});

describe("curlew keys", () => {
  let home = "";
  beforeEach(() => {
    home = temporaryFolder();
  });

  const keys = (...args: string[]) => runCurlew(["keys", ...args], { env: { CURLEW_HOME: home } });
  const fileText = () => readFileSync(join(home, "keys.json"), "utf8");

  it("adds a key, shows it once and stores its hash in a file for the owner alone", async () => {
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

  it("revokes a key, and says that a gateway still requires one", async () => {
    await keys("add", "laptop");
    const revoked = await keys("revoke", "laptop");
    expect(revoked).toMatchObject({ code: 0, stdout: "The key of laptop is revoked.\n" });
    expect(revoked.stderr).toMatch(/stays closed.* curlew keys off\n$/);
    expect((await keys()).stdout).toBe("There are no named keys. To make one: curlew keys add NAME\n");
  });

  it.each([
    [["add", "a b"], 2, "The name of a key has"],
    [["add", "../x"], 2, "The name of a key has"],
    [["add", "x".repeat(65)], 2, "The name of a key has"],
    [["add", "playground"], 2, "playground is reserved for the page. Choose another name."],
    [["add", "x", "--day-tokens", "0"], 2, "--day-tokens must be a whole number from 1"],
    [["add", "x", "--hour-dollars", "1.00001"], 2, "--hour-dollars must be an amount of dollars"],
    [["add", "taken"], 1, "There is already a key taken."],
    [["revoke", "takn"], 1, "There is no key of that name. Did you mean taken?"],
    [["limit", "taken"], 2, "Name a limit"],
    [["limit", "nobody-at-all", "--day-tokens", "1"], 1, "There is no key of that name."],
  ])("refuses %j", async (args, code, text) => {
    writeKeys(join(home, "keys.json"), [makeKey("taken", {}, 0).stored]);
    expect(await keys(...args)).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(text) });
  });

  it("does not change a file that it cannot read", async () => {
    writeFileSync(join(home, "keys.json"), "{");
    for (const args of [["add", "laptop"], ["list"], ["revoke", "laptop"]]) {
      expect(await keys(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining("Fix it") });
    }
    expect(fileText()).toBe("{");
  });

  it("asks for confirmation when the first key would lock out existing clients", async () => {
    // The simulator backend keeps its ledger in memory, so this needs a whole system.
    const { url, home, close } = await startWholeSystem();
    onTestFinished(close);
    const keys = (...args: string[]) => runCurlew(["keys", ...args], { env: { CURLEW_HOME: home } });
    const from = async (agent: string) => {
      const headers = { "content-type": "application/json", "user-agent": agent };
      const body = JSON.stringify({ model: "auto", messages: hello });
      const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
      await response.text();
      return response.status;
    };
    for (const agent of ["opencode/1.4.2", "opencode/1.18.33", "claude-cli/2.1"]) await from(agent);
    expect(await keys("add", "laptop")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^2 clients have .* refused: claude, opencode\.\n(.*\n)*.*--yes\.\n$/),
    });
    expect(existsSync(join(home, "keys.json"))).toBe(false);
    expect(await from("opencode/2")).toBe(200);
    if (hasScript) {
      const person = curlewOnTerminal(["keys", "add", "laptop"], { CURLEW_HOME: home });
      await person.until("Make the key anyway?");
      person.press(pressed.enter);
      expect(await person.ended).toBe(1);
      expect(existsSync(join(home, "keys.json"))).toBe(false);
    }
    expect(await keys("add", "laptop", "--yes")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^curlew_/) });
    await expect.poll(() => from("opencode/2")).toBe(401);
    const second = await keys("add", "phone");
    expect(second).toMatchObject({ code: 0, stderr: expect.not.stringContaining("clients have") });
    for (const name of ["laptop", "phone"]) await keys("revoke", name);
    expect((await keys("off")).code).toBe(1);
    expect(await from("opencode/2")).toBe(401);
    const off = await keys("off", "--yes");
    expect(off).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\(0\)\. A gateway then lets in every program/),
    });
    await expect.poll(() => from("opencode/2")).toBe(200);
  });

  it("says why a gateway stays closed after keys off", async () => {
    await keys("add", "laptop");
    expect(JSON.parse((await keys("off", "--yes", "--json")).stdout)).toEqual({ removed: 1 });
    const again = await runCurlew(["keys", "off", "--yes"], { env: { CURLEW_HOME: home, CURLEW_KEY: SINGLE } });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("The gateway still requires its own key") });
    const env = { CURLEW_HOME: home, CURLEW_BACKEND: "simulator" };
    const refused = await runCurlew(["serve", "--host", "0.0.0.0", "--port", "0"], { env });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("curlew keys add NAME") });
  });

  it("loses no key when commands run concurrently", async () => {
    const first = Array.from({ length: 5 }, (_, at) => makeKey(`old-${at}`, {}, 0).stored);
    writeKeys(join(home, "keys.json"), first);
    // A stale lock of a killed process.
    mkdirSync(join(home, "keys.json.lock"));
    utimesSync(join(home, "keys.json.lock"), 0, 0);
    const adding = Array.from({ length: 10 }, (_, at) => keys("add", `new-${at}`));
    const revoking = first.map(({ name }) => keys("revoke", name));
    const codes = (await Promise.all([...adding, ...revoking])).map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set([0]));
    const stored: { name: string }[] = JSON.parse(fileText()).keys;
    expect(stored.map(({ name }) => name).toSorted()).toEqual(Array.from({ length: 10 }, (_, at) => `new-${at}`));
    expect(readdirSync(home)).toEqual(["keys.json"]);
  });

  it("reports in one sentence that its file cannot be written", async () => {
    writeFileSync(join(home, "file"), "");
    const path = join(home, "file", "home");
    const added = await runCurlew(["keys", "add", "laptop"], { env: { CURLEW_HOME: path } });
    expect(added).toMatchObject({ code: 1, stdout: "" });
    expect(added.stderr).toMatch(/^curlew: \S+keys\.json cannot be written: \w+: [^\n]+\n$/);
  });

  it("does not treat a dangling symbolic link as having no keys", async () => {
    symlinkSync(join(home, "not-mounted", "keys.json"), join(home, "keys.json"));
    for (const args of [["list"], ["add", "laptop"], ["off", "--yes"]]) {
      const told = expect.stringMatching(/keys\.json cannot be read: ENOENT[^\n]+\nFix it/);
      expect(await keys(...args)).toMatchObject({ code: 1, stdout: "", stderr: told });
    }
    expect(lstatSync(join(home, "keys.json")).isSymbolicLink()).toBe(true);
    const { url } = await serveCurlew([], { env: { CURLEW_HOME: home } });
    expect((await fetch(`${url}/v1/models`)).status).toBe(401);
  });

  it("allows a gateway to start on a public address", async () => {
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
