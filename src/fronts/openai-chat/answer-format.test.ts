import { describe, expect, it } from "vitest";
import type { Turn } from "../../turn/turn.js";
import { parseRequest } from "./parse.js";

const messages = [{ role: "user", content: "hi" }];

function turnOf(fields: object): Turn {
  return parseRequest({ body: { model: "m", messages, ...fields } }).turn;
}

describe("the limits and the format of an answer", () => {
  it.each([
    ["END", ["END"]],
    [
      ["\n", "", "END"],
      ["\n", "END"],
    ],
    [
      ["1", "2", "3", "4", "5"],
      ["1", "2", "3", "4", "5"],
    ],
  ])("stops at %j", (stop, texts) => {
    expect(turnOf({ stop })).toMatchObject({ stop: texts, warnings: [] });
  });

  it.each([null, "", [], [""]])("stops nowhere for %j", (stop) => {
    expect(turnOf({ stop })).not.toHaveProperty("stop");
  });

  it.each([
    [{ max_tokens: 32_000 }, 32_000],
    [{ max_completion_tokens: 1 }, 1],
    [{ max_tokens: 5, max_completion_tokens: 7 }, 7],
    [{ max_tokens: 5, max_completion_tokens: null }, 5],
    [{ max_tokens: null }, undefined],
  ])("takes %j as a limit of %s tokens", (fields, maxTokens) => {
    const { warnings, ...turn } = turnOf(fields);
    expect([turn.maxTokens, warnings]).toEqual([maxTokens, []]);
  });

  const schema = { type: "object", properties: { a: { type: "string" } }, $schema: "x" };

  it.each<[object | null, object | undefined]>([
    [null, undefined],
    [{ type: "text" }, undefined],
    [{ type: "json_object" }, { type: "json" }],
    [
      { type: "json_schema", json_schema: { name: "point", strict: true, schema } },
      { type: "json-schema", name: "point", schema, param: "response_format" },
    ],
    [{ type: "json_schema", json_schema: { name: "point" } }, { type: "json" }],
    [
      { type: "json_schema", schema },
      { type: "json-schema", name: "answer", schema, param: "response_format" },
    ],
    [
      { type: "json_object", schema },
      { type: "json-schema", name: "answer", schema, param: "response_format" },
    ],
  ])("takes the format %j as %j", (response_format, format) => {
    const { warnings, ...turn } = turnOf({ response_format });
    expect([turn.format, warnings]).toEqual([format, []]);
  });
});
