import { describe, expect, it } from "vitest";
import { parsePaging, writeAnthropicList, writeAnthropicModel } from "./anthropic.js";

const model = (id: string) => ({ id, name: id.toUpperCase(), aliases: [], canThink: false });
const models = ["default", "a", "b", "c", "d"].map(model);
const page = (query: Record<string, string>) => {
  const { data, ...rest } = writeAnthropicList(
    models,
    parsePaging((name) => query[name]),
  );
  return { ids: data.map(({ id }) => id), ...rest };
};

describe("models in Anthropic's form", () => {
  it("have every field of the official type, filled where known", () => {
    expect(writeAnthropicModel(model("a"))).toEqual({
      type: "model",
      id: "a",
      display_name: "A",
      created_at: "2023-11-14T22:13:20Z",
      max_input_tokens: null,
      max_tokens: 32_000,
      capabilities: expect.any(Object),
      lifecycle: "active",
      line: null,
      deprecated_at: null,
      retires_at: null,
    });
    expect(writeAnthropicModel({ ...model("a"), contextTokens: 200_000 }).max_input_tokens).toBe(200_000);
  });

  it("list their capabilities", () => {
    const { capabilities: few } = writeAnthropicModel(model("a"));
    expect([few.thinking, few.image_input, few.effort]).toMatchObject([
      { supported: false, types: { adaptive: { supported: false }, disabled: { supported: true } } },
      { supported: false },
      { supported: false, high: { supported: false } },
    ]);
    const parameters = [{ id: "reasoning_effort", values: ["low", "high"] }];
    const { capabilities: more } = writeAnthropicModel({
      ...model("a"),
      canThink: true,
      canSeeImages: true,
      parameters,
    });
    expect([more.thinking, more.image_input, more.effort]).toMatchObject([
      { supported: true, types: { adaptive: { supported: true }, enabled: { supported: true } } },
      { supported: true },
      { supported: true, low: { supported: true }, medium: { supported: false }, high: { supported: true } },
    ]);
  });

  it.each([
    ["all that fit", {}, ["auto", "a", "b", "c", "d"], false],
    ["the first two", { limit: "2" }, ["auto", "a"], true],
    ["two after one", { limit: "2", after_id: "a" }, ["b", "c"], true],
    ["the last ones", { limit: "2", after_id: "b" }, ["c", "d"], false],
    ["two before one", { limit: "2", before_id: "c" }, ["a", "b"], true],
    ["the first before one", { limit: "3", before_id: "b" }, ["auto", "a"], false],
    ["from the start when the id is unknown", { limit: "1", after_id: "gone" }, ["auto"], true],
  ])("come in pages: %s", (_, query, ids, has_more) => {
    expect(page(query)).toEqual({ ids, has_more, first_id: ids[0], last_id: ids.at(-1) });
  });

  it("come as an empty page after the last", () => {
    expect(page({ after_id: "d" })).toEqual({ ids: [], has_more: false, first_id: null, last_id: null });
  });

  it.each(["0", "1001", "-1", "x", ""])("are refused with the limit %j", (limit) => {
    expect(() => page({ limit })).toThrowError(expect.objectContaining({ code: "invalid_request", param: "limit" }));
  });
});
