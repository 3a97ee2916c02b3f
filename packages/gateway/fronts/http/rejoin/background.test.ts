import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import { makeKey, openKeys, writeKeys } from "@curlew/meter/keys/index.js";
import { describe, expect, it } from "vitest";
import type { ScriptStep } from "../../../../../testing/backends/scripted/index.js";
import { type RawClient, readChunked } from "../../../../../testing/clients/raw-client.js";
import { finish, gate, type StillServer, stillServer, text } from "../../../../../testing/gateway/asked-server.js";
import { temporaryFolder } from "../../../../../testing/temporary-folder.js";
import { GatewayError } from "../../../turn/error.js";
import { EVENTS_KEPT_MS, MAX_ENDED_CHARS, MAX_EVENT_CHARS } from "./background-replies.js";

const question = { model: "auto", background: true, input: "hi" };

const setUp = (steps: Iterable<ScriptStep>) => stillServer({ steps });

function post(server: StillServer, body: object = question, headers: Record<string, string> = {}): Promise<Response> {
  return server.post("/v1/responses", body, headers);
}

interface Made {
  readonly id: string;
  readonly status: string;
  readonly output: readonly { readonly content: readonly { readonly text: string }[] }[];
}

async function create(server: StillServer, body?: object, headers?: Record<string, string>): Promise<string> {
  const { id } = (await (await post(server, body, headers)).json()) as Made;
  return id;
}

async function retrieve({ url }: StillServer, id: string): Promise<Made> {
  return (await (await fetch(`${url}/v1/responses/${id}`)).json()) as Made;
}

async function untilEnded(server: StillServer, id: string) {
  await expect.poll(async () => (await retrieve(server, id)).status).not.toMatch(/queued|in_progress/);
  return retrieve(server, id);
}

function events({ url }: StillServer, id: string): Promise<Response> {
  return fetch(`${url}/v1/responses/${id}?stream=true`);
}

async function read({ connect }: StillServer, id: string, query = ""): Promise<RawClient> {
  const client = await connect();
  client.send(`GET /v1/responses/${id}?stream=true${query} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  return client;
}

const bodyOf = (client: RawClient) => readChunked(client.received).chunks.join("");

describe("a reader of a background response", () => {
  it("gets each event as it comes, even from the middle of a batch", async () => {
    const { open, waitFor } = gate();
    const server = await setUp([text("one"), { waitFor }, text("two"), finish]);
    const id = await create(server);
    const first = await read(server, id);
    await first.until('"delta":"one","sequence_number":5');
    const second = await read(server, id, "&starting_after=3");
    await second.until('"delta":"one"');
    expect(second.received).not.toContain("response.created");
    open();
    await first.until("0\r\n\r\n");
    await second.until("0\r\n\r\n");
    expect(bodyOf(first)).toContain('"delta":"two","sequence_number":6');
    expect(bodyOf(first).endsWith(bodyOf(second))).toBe(true);
    expect(bodyOf(second)).toMatch(/^event: response.content_part.added\n.*"sequence_number":4}\n\n/);
  });

  it("gets keep-alives during a silence, which are not part of the response", async () => {
    const { open, waitFor } = gate();
    const server = await setUp([text("one"), { waitFor }, finish]);
    const id = await create(server);
    const waiting = await read(server, id);
    await waiting.until("one");
    server.clock.advance(20_000);
    await waiting.until(": keep-alive");
    open();
    await waiting.until("0\r\n\r\n");
    const later = await read(server, id);
    await later.until("0\r\n\r\n");
    expect(bodyOf(later)).toBe(bodyOf(waiting).replaceAll(": keep-alive\n\n", ""));
  });

  it("does not stop it by leaving, or by not reading", async () => {
    const { open, waitFor } = gate();
    // More than the buffers of a connection take.
    const many = Array.from({ length: 480 }, () => text("x".repeat(16 * 1024)));
    const server = await setUp([text("one"), { waitFor }, ...many, finish]);
    const id = await create(server);
    const leaving = await read(server, id);
    await leaving.until("one");
    leaving.socket.destroy();
    const stuck = await read(server, id);
    await stuck.until("one");
    stuck.socket.pause();
    open();
    expect(await untilEnded(server, id)).toMatchObject({ status: "completed" });
  });
});

describe("the events of a response", () => {
  it("are kept for some time after its end; later, only the whole response is available", async () => {
    const server = await setUp([text("one"), finish]);
    const id = await create(server);
    await untilEnded(server, id);
    server.clock.advance(EVENTS_KEPT_MS - 1);
    expect((await events(server, id)).status).toBe(200);
    server.clock.advance(1);
    const gone = await events(server, id);
    expect(gone.status).toBe(400);
    expect(await gone.json()).toMatchObject({ error: { type: "invalid_request_error", param: "stream" } });
    expect(await retrieve(server, id)).toMatchObject({ status: "completed" });
    await expect.poll(() => server.memory.heldBytes).toBe(0);
  });

  it.each(["read", "not read"])(
    "are dropped if they are too many, without harm to a response that is %s",
    async (how) => {
      const { open, waitFor } = gate();
      const long = "x".repeat(MAX_EVENT_CHARS / 8);
      const server = await setUp([text("one"), { waitFor }, ...Array.from({ length: 9 }, () => text(long)), finish]);
      const id = await create(server);
      const reader = how === "read" ? await read(server, id) : undefined;
      await reader?.until("one");
      open();
      const { status, output } = await untilEnded(server, id);
      expect(status).toBe("completed");
      expect(output[0]?.content[0]?.text).toHaveLength(3 + 9 * long.length);
      expect((await events(server, id)).status).toBe(400);
      await reader?.until("event: response.completed").catch(() => {}); // or it was too slow, and is cut off
      await expect.poll(() => server.memory.heldBytes).toBe(0);
    },
  );

  it("are evicted by those of later responses", async () => {
    const long = text("x".repeat(MAX_EVENT_CHARS / 6)); // its last events repeat it four times
    const server = await setUp([long, finish]);
    const ids: string[] = [];
    const isKept = async (id: string | undefined) => {
      const { status, body } = await events(server, id ?? "");
      await body?.cancel();
      return status === 200;
    };
    while (ids.length < 2 + MAX_ENDED_CHARS / MAX_EVENT_CHARS) {
      ids.push(await create(server));
      await untilEnded(server, ids.at(-1) ?? "");
    }
    expect([await isKept(ids[0]), await isKept(ids.at(-1))]).toEqual([false, true]);
    await expect.poll(() => server.memory.heldBytes).toBeLessThanOrEqual(MAX_ENDED_CHARS);
  });
});

it("keeps its events when its client continues the conversation in another way", async () => {
  const { open, waitFor } = gate();
  const server = await setUp([text("one"), { waitFor }, finish]);
  const away = { "x-forwarded-for": "192.0.2.7" };
  const saying = (content: string) => [
    { role: "user", content: "hi" },
    { role: "assistant", content: "hello" },
    { role: "user", content },
  ];
  const id = await create(server, { ...question, input: saying("go on") }, away);
  const other = await post(server, { model: "auto", stream: true, input: saying("stop that") }, away);
  expect(server.backend.exchanges).toHaveLength(2);
  open();
  await other.text();
  expect(await untilEnded(server, id)).toMatchObject({ status: "completed" });
  expect((await events(server, id)).status).toBe(200);
});

it("has its own line in the log when its run is over", async () => {
  const server = await setUp([text("one"), { fail: new GatewayError("upstream_error", "It broke.") }]);
  const id = await create(server);
  expect(await untilEnded(server, id)).toMatchObject({ status: "failed", error: { message: "It broke." } });
  const ofRun = () => server.requests.filter(({ background }) => background === id);
  await expect.poll(() => ofRun().length).toBe(2);
  const lineOf = (route: string) => ofRun().find((line) => line.route === route);
  expect(lineOf("POST /v1/responses")).toMatchObject({ status: 200, outcome: "ok" });
  expect(lineOf("background /v1/responses")).toMatchObject({ outcome: "upstream_error", continuity: "cold:new" });
});

it("is refused while too many are running", async () => {
  const server = await setUp([text("one"), gate()]);
  const ids: string[] = [];
  while (ids.length < 100) ids.push(await create(server));
  const over: unknown[] = [];
  const received: unknown[] = [];
  const onReceived = (record: unknown) => received.push(record);
  const onFailed = (record: unknown) => over.push(record);
  subscribe("curlew:request:received", onReceived);
  subscribe("curlew:request:failed", onFailed);
  const refused = await post(server);
  unsubscribe("curlew:request:received", onReceived);
  unsubscribe("curlew:request:failed", onFailed);
  // The refused request is not left open.
  expect([over.length, received]).toEqual([1, over]);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining("cancel one") } });
  await fetch(`${server.url}/v1/responses/${ids[0]}/cancel`, { method: "POST" });
  expect((await post(server)).status).toBe(200);
});

it("is refused to keys that have their share, and never to one that has none", async () => {
  const path = join(temporaryFolder(), "keys.json");
  const names = ["laptop", "phone", "tablet", "desk", "sofa", "train", "attic", "shed", "van", "boat", "tent"];
  const made = names.map((name) => makeKey(name, {}, 0));
  writeKeys(
    path,
    made.map(({ stored }) => stored),
  );
  const unset = { key: undefined, host: "127.0.0.1", allowedHosts: [], elapsed: () => 0, onProblem: () => {} };
  const server = await stillServer({ steps: [text("one"), gate()], keys: openKeys({ path, ...unset }) });
  const untilRefused = async ({ secret }: { secret: string }) => {
    for (let held = 0; ; held++) {
      const response = await post(server, question, { authorization: `Bearer ${secret}` });
      await response.text();
      if (response.status === 503) return held;
    }
  };
  const held: number[] = [];
  for (const key of made) held.push(await untilRefused(key));
  expect(held).toEqual([100, 50, 34, 25, 20, 17, 15, 13, 12, 10, 10]);
});

it("is joined by a request that is repeated after its answer was lost", async () => {
  const server = await setUp([text("one"), finish]);
  const body = { ...question, stream: true };
  const first = await server.send("/v1/responses", body, "x-forwarded-for: 192.0.2.7");
  await first.until("response.created");
  first.socket.resetAndDestroy();
  await expect.poll(() => server.responses[0]?.req.socket.closed).toBe(true);
  const again = await post(server, body, { "x-forwarded-for": "192.0.2.7" });
  expect(again.headers.get("x-curlew-joined")).toBe(server.responses[0]?.getHeader("x-request-id"));
  expect(await again.text()).toContain("response.completed");
  expect(server.backend.exchanges).toHaveLength(1);
});
