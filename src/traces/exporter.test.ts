import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { ManualClock } from "../../testing/manual-clock.js";
import { newRecord } from "../events/index.js";
import { OtlpExporter } from "./exporter.js";
import { spansOf } from "./request-spans.js";

interface Export {
  readonly headers: IncomingHttpHeaders;
  readonly spans: number;
  readonly body: unknown;
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A receiver that answers as told. */
async function receive(answer: (response: ServerResponse) => void) {
  const received: Export[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    request.on("end", () => {
      const body = JSON.parse(text);
      received.push({ headers: request.headers, body, spans: body.resourceSpans[0].scopeSpans[0].spans.length });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, received };
}

function start(url: string) {
  const clock = new ManualClock();
  const problems: Error[] = [];
  const headers = { "x-key": "a secret" };
  const resource = { "service.name": "test" };
  const onProblem = (problem: Error) => problems.push(problem);
  return {
    exporter: new OtlpExporter({ url, headers, resource, version: "1.2.3", clock, onProblem }),
    clock,
    problems,
  };
}

const spans = (count: number) =>
  Array.from({ length: count }, () => spansOf(newRecord("a", "one", 0), "https://agent.example")).flat();
const ok = (response: ServerResponse) => response.setHeader("content-type", "application/json").end("{}");

it("sends what has come within five seconds in one request, with the headers", async () => {
  const { url, received } = await receive(ok);
  const { exporter, clock, problems } = start(url);
  exporter.add(spans(1));
  exporter.add(spans(2));
  expect(received).toEqual([]);
  clock.advance(5_000);
  await expect.poll(() => received.length).toBe(1);
  expect(received[0]).toMatchObject({
    spans: 3,
    headers: { "content-type": "application/json", "x-key": "a secret" },
    body: { resourceSpans: [{ scopeSpans: [{ scope: { name: "curlew", version: "1.2.3" } }] }] },
  });
  await exporter.close();
  expect([received.length, problems, clock.sleeping]).toEqual([1, [], 0]);
});

it("does not wait when there are many, and sends the rest at the end", async () => {
  const { url, received } = await receive(ok);
  const { exporter } = start(url);
  exporter.add(spans(1_300));
  await exporter.close();
  expect(received.map((each) => each.spans)).toEqual([512, 512, 276]);
});

it("reports once that nobody takes them, and again when that happens after a success", async () => {
  let isUp = false;
  const { url, received } = await receive((response) => (isUp ? ok(response) : response.writeHead(503).end("secret")));
  const { exporter, clock, problems } = start(url);
  const send = async () => {
    const before = received.length;
    exporter.add(spans(1));
    clock.advance(5_000);
    await expect.poll(() => received.length).toBe(before + 1);
    await exporter.close();
  };
  await send();
  await send();
  expect(problems.map(({ message }) => message)).toEqual([
    `The receiver of traces at ${new URL(url).host} answered with status 503.`,
  ]);
  isUp = true;
  await send();
  isUp = false;
  await send();
  expect(problems).toHaveLength(2);
});

it("reports an address where nobody listens without its path or the headers", async () => {
  const { exporter, problems } = start("http://127.0.0.1:1/secret-path");
  exporter.add(spans(1));
  await exporter.close();
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toBe("The receiver of traces at 127.0.0.1:1 could not be reached.");
});

it("does not let a receiver that never answers hold up the end", async () => {
  const held: ServerResponse[] = [];
  const { url, received } = await receive((response) => held.push(response));
  const { exporter, clock } = start(url);
  exporter.add(spans(600));
  await expect.poll(() => held.length).toBe(1);
  const closed = exporter.close();
  clock.advance(2_000);
  await closed;
  expect(received).toHaveLength(1);
});

it("holds a bounded number while a receiver is slow", async () => {
  const held: ServerResponse[] = [];
  const { url, received } = await receive((response) => held.push(response));
  const { exporter, problems } = start(url);
  for (let at = 0; at < 50; at++) exporter.add(spans(100));
  await expect.poll(() => held.length).toBe(1);
  expect(problems.map(({ message }) => message)).toEqual(["More than 2048 spans wait to be sent; others are dropped."]);
  for (; held.length > 0; await expect.poll(() => held.length > 0 || received.length >= 5).toBe(true)) {
    for (const response of held.splice(0)) ok(response);
  }
  await exporter.close();
  expect(received.reduce((sum, each) => sum + each.spans, 0)).toBeLessThan(2_700);
});
