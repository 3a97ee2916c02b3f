import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { lateListener } from "./start-server.js";

function exchange(): Parameters<RequestListener> {
  const request = new IncomingMessage(new Socket());
  return [request, new ServerResponse(request)];
}

it("queues requests in order until their listener is loaded", async () => {
  const seen: unknown[] = [];
  let finish = (_: RequestListener) => {};
  const loading = new Promise<RequestListener>((resolve) => {
    finish = resolve;
  });
  const listener = lateListener(() => loading);
  const [first, second] = [exchange(), exchange()];
  listener(...first);
  listener(...second);
  expect(seen).toEqual([]);
  finish((request) => seen.push(request));
  await loading;
  await Promise.resolve();
  expect(seen).toEqual([first[0], second[0]]);
});

it("passes later requests on synchronously", async () => {
  const seen: unknown[] = [];
  const loading = Promise.resolve<RequestListener>((request) => seen.push(request));
  const listener = lateListener(() => loading);
  listener(...exchange());
  await loading;
  const [request, response] = exchange();
  listener(request, response);
  expect(seen.at(-1)).toBe(request);
});

it("drops the connection if loading fails", async () => {
  const failing = Promise.reject<RequestListener>(new Error("nothing there"));
  const [request, response] = exchange();
  lateListener(() => failing)(request, response);
  await expect(failing).rejects.toThrow();
  expect(response.destroyed).toBe(true);
});
