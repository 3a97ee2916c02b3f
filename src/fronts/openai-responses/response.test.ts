import { describe, expect, it } from "vitest";
import { emptyStore } from "../../../testing/clients/client-request.js";
import { parseSse } from "../../../testing/clients/parse-sse.js";
import { sampleUsage } from "../../../testing/samples/sample-usage.js";
import { collect } from "../../turn/collect.js";
import type { Batch, TurnEvent } from "../../turn/event.js";
import { FrameText } from "../frame.js";
import { parseRequest } from "./parse.js";
import { writeReply } from "./response.js";
import { ResponsesStreamEncoder } from "./stream.js";

const head = { id: "a1", createdMs: 1_700_000_000_999, model: "auto" };
const endedMs = 1_700_000_005_000;
const tools = [
  { type: "function", name: "ls" },
  { type: "custom", name: "patch" },
  { type: "namespace", name: "ns", tools: [{ type: "function", name: "rm" }] },
];
const call = (id: string, name: string, ...deltas: string[]): TurnEvent[] => [
  { type: "call", id, name, runs: "client" },
  ...deltas.map((delta): TurnEvent => ({ type: "call-input", id, delta })),
  { type: "call-end", id },
];

describe("a whole reply", () => {
  const everything: TurnEvent[] = [
    { type: "thinking", delta: "h" },
    { type: "thinking", delta: "m", signature: "sig" },
    { type: "text", delta: "Hel" },
    { type: "text", delta: "" },
    { type: "thinking", delta: "" },
    { type: "text", delta: "lo" },
    ...call("c1", "ns__rm", '{"a":', "1}"),
    ...call("c2", "patch", '{"input":', '"x"}'),
    ...call("c3", "ls"),
    { type: "thinking", delta: "and" },
    { type: "text", delta: "so on" },
    { type: "usage", usage: sampleUsage },
  ];

  it.each(["stop", "tool-calls", "length", "filtered"] as const)(
    "is what the stream of the same events ends with: %s",
    async (reason) => {
      const events: TurnEvent[] = [...everything, { type: "finish", reason }];
      const body = { model: "auto", input: "hi", tools, include: ["reasoning.encrypted_content"] };
      const { request } = parseRequest({ body, store: emptyStore });
      const out = new FrameText();
      const encoder = new ResponsesStreamEncoder(request, head, out);
      encoder.push(events);
      expect(encoder.end(endedMs)).toMatchObject({ id: "resp_a1", object: "response" });
      const last = parseSse(out.take()).at(-1);
      const whole = writeReply(await collect(asEvents([events])), request, head, endedMs);
      expect(JSON.parse(JSON.stringify(whole))).toEqual(JSON.parse(last?.data ?? "").response);
    },
  );
});

async function* asEvents(batches: readonly Batch[]): AsyncIterable<Batch> {
  yield* batches;
}
