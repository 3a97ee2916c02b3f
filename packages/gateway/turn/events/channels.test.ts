import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, it } from "vitest";
import { eventNames, listen, publish, RequestRecord } from "./channels.js";

it("reaches only the listeners of its gateway", () => {
  const heard: string[] = [];
  const stop = listen("a", { "curlew:request:received": ({ requestId }) => heard.push(requestId) }, () => {});
  publish("curlew:request:received", new RequestRecord("a", "one", 0));
  publish("curlew:request:received", new RequestRecord("b", "two", 0));
  publish("curlew:request:finished", new RequestRecord("a", "three", 0));
  stop();
  publish("curlew:request:received", new RequestRecord("a", "four", 0));
  expect(heard).toEqual(["one"]);
});

it("reaches the other listeners when one throws", () => {
  const problems: unknown[] = [];
  const heard: string[] = [];
  const fault = new Error("listener");
  const stops = [
    listen(
      "a",
      {
        "curlew:request:failed": () => {
          throw fault;
        },
      },
      (problem) => problems.push(problem),
    ),
    listen("a", { "curlew:request:failed": ({ requestId }) => heard.push(requestId) }, () => {}),
  ];
  publish("curlew:request:failed", new RequestRecord("a", "one", 0));
  for (const stop of stops) stop();
  expect([problems, heard]).toEqual([[fault], ["one"]]);
});

it("can be received with Node's own module", () => {
  const heard: unknown[] = [];
  const record = new RequestRecord("a", "one", 0);
  const onMessage = (message: unknown) => heard.push(message);
  for (const name of eventNames) subscribe(name, onMessage);
  publish("curlew:request:planned", record);
  for (const name of eventNames) unsubscribe(name, onMessage);
  expect(heard).toEqual([record]);
});
