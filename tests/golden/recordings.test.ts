import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { golden as messages } from "../../src/fronts/anthropic-messages/golden.cases.js";
import { golden as chat } from "../../src/fronts/openai-chat/golden.cases.js";
import { golden as responses } from "../../src/fronts/openai-responses/golden.cases.js";
import { parseSse, type SseEvent } from "../../testing/clients/parse-sse.js";
import type { GoldenDialect } from "../../testing/golden/dialect.js";
import { type VendorShape, VendorShapes } from "../vendors/vendor-shape.js";
import { goldenDialects } from "./dialects.js";
import { recordedRoutes } from "./routes.js";

const shapes = new VendorShapes();

/** Sent in the silence of a stream, and missing in the package's types: the package skips unknown events. */
const PING = '{"type":"ping"}';

function checkEvent({ shapes: expected }: GoldenDialect, data: string): void {
  if (data === "[DONE]" || data === PING || expected === undefined) return;
  const value = JSON.parse(data);
  shapes.check(Object.hasOwn(value, "error") ? expected.error : expected.event, value);
}

const typed = goldenDialects.flatMap(({ shapes, ...rest }) => (shapes === undefined ? [] : [{ ...rest, shapes }]));

describe.each(typed)("the official package's types of $name", (dialect) => {
  const folder = `${import.meta.dirname}/${dialect.name}`;
  const files = readdirSync(folder);

  it.each(files)("allow everything in %s", (file) => {
    const text = readFileSync(`${folder}/${file}`, "utf8");
    if (file.endsWith(".json")) return expectShape(dialect.shapes.error, JSON.parse(text).body);
    const events = parseSse(text);
    expect(events.length).toBeGreaterThan(1);
    for (const { data } of events) checkEvent(dialect, data);
  });
});

describe("the official packages' types", () => {
  it.each(recordedRoutes)("allow what $name answers", ({ name, shape }) => {
    const { body } = JSON.parse(readFileSync(`${import.meta.dirname}/routes/${name}.json`, "utf8"));
    expectShape(shape, body);
  });

  it("are asked of every recorded route", () => {
    const files = readdirSync(`${import.meta.dirname}/routes`);
    expect(files.sort()).toEqual(recordedRoutes.map(({ name }) => `${name}.json`).sort());
  });
});

/** The events of a recorded stream. */
const read = (dialect: GoldenDialect, name: string) =>
  parseSse(readFileSync(`${import.meta.dirname}/${dialect.name}/${name}.sse`, "utf8"));

type Fault = [
  fault: string,
  GoldenDialect,
  name: string,
  text: string,
  change: (data: string) => string,
  words: RegExp,
];

describe("a recorded event", () => {
  it.each<Fault>([
    ["no id in a chunk", chat, "text", '"delta"', swap(/"id":"[^"]*",/, ""), /'id'/],
    ["a number for a text", chat, "text", '"delta"', swap('"content":""', '"content":5'), /string/],
    ["an unknown finish", chat, "text", '"finish_reason":"stop"', swap('"stop"', '"done"'), /allowed values/],
    ["no stop_details", messages, "text", "message_start", swap('"stop_details":null,', ""), /stop_details/],
    ["no caller", messages, "one-tool", '"tool_use"', swap(/,"caller":\{[^}]*\}/, ""), /caller/],
    ["an error without a type", messages, "error-after", '"error"', swap(/"type":"permission_error",/, ""), /type/],
    ["a call without its id", responses, "one-tool", '"fc_', swap('"call_id"', '"callId"'), /call_id/],
    ["null for a text", responses, "text", "output_text.done", swap(/"text":"[^"]*"/, '"text":null'), /string/],
    ["a field that nobody knows", responses, "text", "response.created", swap('"store"', '"stores"'), /additional/],
  ])("with %s does not fit the package's types", (_, dialect, name, text, change, words) => {
    const event = read(dialect, name).find(({ data }) => data.includes(text))?.data ?? "";
    const broken = change(event);
    expect(broken).not.toBe(event);
    expect(() => checkEvent(dialect, event)).not.toThrow();
    expect(() => checkEvent(dialect, broken)).toThrow(words);
  });
});

describe("a recorded stream", () => {
  const omit = () => "";
  const repeat = (data: string) => `${data}\n\ndata: ${data}`;

  /** Changes every event that has this text. One that becomes empty is left out. */
  function tamper(dialect: GoldenDialect, name: string, text: string, change: (data: string) => string): SseEvent[] {
    const changed = read(dialect, name).flatMap(({ event, data }) => {
      const parts = data.includes(text) ? change(data).split("\n\ndata: ") : [data];
      return parts.filter((part) => part !== "").map((part) => ({ event, data: part }));
    });
    // The judge of Responses would else stop at the first gap in the numbers.
    return changed.map(({ event, data }, at) => ({ event, data: data.replace(/(?<="sequence_number":)\d+/, `${at}`) }));
  }

  it.each<Fault>([
    ["no [DONE]", chat, "text", "[DONE]", omit, /neither \[DONE\] nor an error/],
    ["two finishes", chat, "text", '"finish_reason":"', repeat, /a choice behind the finish/],
    ["no usage", chat, "text", '"choices":[]', omit, /without usage/],
    ["a wrong sum", chat, "text", '"choices":[]', swap(/(?<="total_tokens":)\d+/, "1"), /total_tokens is the sum/],
    ["two calls of one id", chat, "parallel-tools", "call_3", swap("call_3", "call_2"), /ids of their own/],
    ["arguments cut off", chat, "parallel-tools", "Bonn", swap('Bonn\\"}', "Bonn"), /no JSON object/],
    ["no message_stop", messages, "thinking", "message_stop", omit, /neither message_stop nor an error/],
    ["an open block", messages, "thinking", "content_block_stop", omit, /one block is open at a time/],
    ["no signature", messages, "thinking", "signature_delta", omit, /without a signature/],
    ["a stop for no tools", messages, "text", "message_delta", swap("end_turn", "tool_use"), /tool_use with 0 calls/],
    ["a call cut off", messages, "parallel-tools", "Bonn", swap('Bonn\\"}', "Bonn"), /no JSON object/],
    ["no terminal event", responses, "text", "response.completed", omit, /without a terminal event/],
    ["two terminal events", responses, "text", "response.completed", repeat, /behind the end/],
    [
      "a part never done",
      responses,
      "text",
      "response.content_part.done",
      omit,
      /instead of response.content_part.done/,
    ],
    [
      "another text",
      responses,
      "text",
      "output_text.done",
      swap(/(?<="text":")/, "x"),
      /a part is what its deltas said/,
    ],
    ["two items of one id", responses, "parallel-tools", "fc_4", swap(/fc_4/g, "fc_2"), /items have ids of their own/],
  ])("with %s breaks a rule of its dialect", (_, dialect, name, text, change, words) => {
    expect(() => dialect.judgeStream(read(dialect, name))).not.toThrow();
    expect(() => dialect.judgeStream(tamper(dialect, name, text, change))).toThrow(words);
  });
});

function expectShape(shape: VendorShape, value: unknown): void {
  expect(() => shapes.check(shape, value)).not.toThrow();
}

function swap(text: string | RegExp, by: string): (event: string) => string {
  return (event) => event.replace(text, by);
}
