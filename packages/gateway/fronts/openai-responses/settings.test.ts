import { describe, expect, it } from "vitest";
import { toSettings } from "./settings.js";

describe("the settings that a response echoes", () => {
  // The defaults are in the recorded streams of tests/golden/.
  it("are those of the request, including tools", () => {
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
