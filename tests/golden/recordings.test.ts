import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { golden as messages } from "../../src/fronts/anthropic-messages/golden.cases.js";
import { golden as chat } from "../../src/fronts/openai-chat/golden.cases.js";
import { golden as responses } from "../../src/fronts/openai-responses/golden.cases.js";
import { parseSse } from "../../testing/clients/parse-sse.js";
import type { GoldenDialect } from "../../testing/golden/dialect.js";
import { readGolden } from "../../testing/golden/tamper.js";
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

describe("a recorded event", () => {
  /** The first recorded event that contains this text. */
  const find = (dialect: GoldenDialect, name: string, text: string): string => {
    const found = readGolden(dialect.name, name).find(({ data }) => data.includes(text));
    if (found === undefined) throw new Error(`Nothing recorded with ${text}.`);
    return found.data;
  };

  it.each<[fault: string, GoldenDialect, name: string, text: string, change: (event: string) => string, words: RegExp]>(
    [
      ["no id in a chunk", chat, "text", '"delta"', without("id"), /'id'/],
      [
        "no finish_reason",
        chat,
        "text",
        '"delta"',
        (data) => data.replace(',"finish_reason":null', ""),
        /finish_reason/,
      ],
      ["a number for a text", chat, "text", '"delta"', (data) => data.replace('"content":""', '"content":5'), /string/],
      ["an unknown finish", chat, "text", '"finish_reason":"stop"', swap('"stop"', '"done"'), /allowed values/],
      ["usage without its sum", chat, "text", '"choices":[]', swap(/"total_tokens":\d+,/, ""), /total_tokens/],
      ["no container", messages, "text", "message_start", swap('"container":null,', ""), /container/],
      ["no stop_details", messages, "text", "message_start", swap('"stop_details":null,', ""), /stop_details/],
      ["no speed", messages, "text", "message_start", swap(',"speed":null', ""), /speed/],
      ["no citations", messages, "text", "content_block_start", swap(',"citations":[]', ""), /citations/],
      ["no caller", messages, "one-tool", '"tool_use"', swap(/,"caller":\{[^}]*\}/, ""), /caller/],
      [
        "usage of a message in a delta",
        messages,
        "text",
        "message_delta",
        swap('"output_tokens"', '"speed":null,"output_tokens"'),
        /additional/,
      ],
      ["an unknown stop reason", messages, "text", "message_delta", swap('"end_turn"', '"stop"'), /allowed values/],
      ["an error without a type", messages, "error-after", '"error"', swap(/"type":"permission_error",/, ""), /type/],
      ["no sequence_number", responses, "text", "output_text.delta", without("sequence_number"), /sequence_number/],
      ["no item_id", responses, "text", "output_text.delta", without("item_id"), /item_id/],
      ["a call without its id", responses, "one-tool", '"fc_', swap('"call_id"', '"callId"'), /call_id/],
      ["null for a text", responses, "text", "output_text.done", swap(/"text":"[^"]*"/, '"text":null'), /string/],
      [
        "no parallel_tool_calls",
        responses,
        "text",
        "response.created",
        swap('"parallel_tool_calls":true,', ""),
        /parallel_tool_calls/,
      ],
      ["a field that nobody knows", responses, "text", "response.created", swap('"store"', '"stores"'), /additional/],
      [
        "usage without details",
        responses,
        "text",
        "response.completed",
        swap(/"output_tokens_details":\{[^}]*\},/, ""),
        /output_tokens_details/,
      ],
    ],
  )("with %s is noticed", (_, dialect, name, text, change, words) => {
    const event = find(dialect, name, text);
    const broken = change(event);
    expect(broken).not.toBe(event);
    expect(() => checkEvent(dialect, event)).not.toThrow();
    expect(() => checkEvent(dialect, broken)).toThrow(words);
  });
});

function expectShape(shape: VendorShape, value: unknown): void {
  expect(() => shapes.check(shape, value)).not.toThrow();
}

function swap(text: string | RegExp, by: string): (event: string) => string {
  return (event) => event.replace(text, by);
}

function without(field: string): (event: string) => string {
  return (event) => {
    const { [field]: _, ...rest } = JSON.parse(event);
    return JSON.stringify(rest);
  };
}
