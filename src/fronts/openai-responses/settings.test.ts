import { describe, expect, it } from "vitest";
import { toSettings } from "./settings.js";

describe("what a response repeats of its request", () => {
  it("has every field, with the API's own defaults", () => {
    expect(toSettings({ model: "auto", input: "hi" })).toEqual({
      instructions: null,
      previous_response_id: null,
      store: true,
      background: false,
      metadata: {},
      tools: [],
      tool_choice: "auto",
      parallel_tool_calls: true,
      max_tool_calls: null,
      max_output_tokens: null,
      reasoning: { effort: null, summary: null },
      text: { format: { type: "text" }, verbosity: "medium" },
      truncation: "disabled",
      temperature: 1,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      top_logprobs: 0,
      service_tier: "default",
      safety_identifier: null,
      prompt_cache_key: null,
    });
  });

  it("is what came, tools and all", () => {
    const format = {
      type: "json_schema" as const,
      name: "n",
      schema: { type: "object" },
      strict: true,
      description: null,
    };
    const settings = {
      instructions: "Be kind.",
      store: false,
      metadata: { a: "b" },
      tool_choice: { type: "function", name: "ls" },
      parallel_tool_calls: false,
      max_output_tokens: 50,
      reasoning: { effort: "low", summary: "auto", context: "all_turns" },
      text: { format, verbosity: "high" },
      truncation: "auto",
      temperature: 0.5,
      top_p: 0.9,
      safety_identifier: "s",
      prompt_cache_key: "k",
      user: "u",
    };
    const tools = [
      { type: "function", name: "ls" },
      { type: "web_search", search_context_size: "low" },
    ];
    expect(toSettings({ model: "auto", ...settings, tools, service_tier: "auto" })).toMatchObject({
      ...settings,
      tools: [{ type: "function", name: "ls", description: null, parameters: null, strict: null }, tools[1]],
      service_tier: "default",
    });
  });
});
