import { describe, expect, it } from "vitest";
import { emptyStore } from "../../../../testing/clients/client-request.js";
import { parseSse } from "../../../../testing/clients/parse-sse.js";
import { call, counted, finished, said, thought } from "../../../../testing/samples/sample-events.js";
import { collect } from "../../turn/collect.js";
import type { Batch } from "../../turn/event.js";
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

describe("a whole reply", () => {
  const spoken = [thought("h"), thought("m", "sig"), said("Hel"), said(""), thought(""), said("lo")];
  const calls = [
    ...call("c1", "ns__rm", '{"a":', "1}"),
    ...call("c2", "patch", '{"input":', '"x"}'),
    ...call("c3", "ls"),
  ];
  const everything = [...spoken, ...calls, thought("and"), said("so on"), counted()];

  it.each(["stop", "tool-calls", "length", "filtered"] as const)(
    "equals the end of the stream of the same events: %s",
    async (reason) => {
      const events = [...everything, finished(reason)];
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
