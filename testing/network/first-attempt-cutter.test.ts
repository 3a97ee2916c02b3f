import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { jsonPost, RawClient } from "../clients/raw-client.js";
import { type FirstAttemptCutter, startFirstAttemptCutter } from "./first-attempt-cutter.js";

let server: Server;
let cutter: FirstAttemptCutter;
let cutAt: number;
let received: { body: string; header: string | undefined }[];
beforeEach(async () => {
  received = [];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push({ body, header: request.headers["x-own"]?.toString() });
    response.sendDate = false; // the two responses must be equal
    response.end("the whole answer");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  cutter = await startFirstAttemptCutter(origin, () => cutAt);
});
afterEach(async () => {
  await cutter.close();
  server.close();
});

async function post(body: object): Promise<string> {
  const client = await RawClient.connect(Number(new URL(cutter.url).port));
  client.send(jsonPost("/some/path", body, { headers: "x-own: kept" }));
  await client.closed;
  return client.received;
}

it.each([0, 1, 9, 60])("cuts the first attempt after %i bytes, and passes the second", async (bytes) => {
  cutAt = bytes;
  const first = await post({ words: "one" });
  const second = await post({ words: "one" });
  expect(second).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(second).toContain("the whole answer");
  expect(first).toBe(second.slice(0, bytes));
  expect(received).toEqual(Array(2).fill({ body: '{"words":"one"}', header: "kept" }));
  expect(cutter.cuts).toBe(1);
});

it("cuts each request by itself, and none that is shorter", async () => {
  cutAt = 20;
  await post({ words: "one" });
  await post({ words: "two" });
  expect(cutter.cuts).toBe(2);
  cutAt = 10_000;
  expect(await post({ words: "three" })).toContain("the whole answer");
  expect(cutter.cuts).toBe(2);
});
