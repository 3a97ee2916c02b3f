import { describe, expect, it } from "vitest";
import { parseRequest } from "./parse.js";

function offered(tool: object) {
  const body = { model: "auto", max_tokens: 10, messages: [{ role: "user", content: "hi" }], tools: [tool] };
  const { tools, warnings } = parseRequest({ body }).turn;
  expect(warnings).toEqual([]);
  const [definition] = tools;
  if (definition === undefined) throw new Error("not offered");
  return { ...definition, text: JSON.stringify(definition.inputSchema) };
}

const display = { display_width_px: 800, display_height_px: 600 };

describe("a tool that the client runs, named by its type alone", () => {
  it.each<[string, object, string[], string[]]>([
    ["bash", { type: "bash_20241022" }, ["command", "restart"], []],
    ["bash", { type: "bash_20250124" }, ["command", "restart"], []],
    ["memory", { type: "memory_20250818" }, ["rename", "old_path", "insert_text", "view_range"], ["undo_edit"]],
    ["str_replace_editor", { type: "text_editor_20241022" }, ["undo_edit", "new_str"], ["insert_text"]],
    ["str_replace_editor", { type: "text_editor_20250124" }, ["undo_edit", "new_str"], ["insert_text"]],
    ["str_replace_based_edit_tool", { type: "text_editor_20250429" }, ["insert_line"], ["undo_edit", "insert_text"]],
    ["str_replace_based_edit_tool", { type: "text_editor_20250728" }, ["insert_text"], ["undo_edit"]],
    [
      "computer",
      { type: "computer_20241022", ...display },
      ["cursor_position"],
      ["scroll_amount", "triple_click", "zoom"],
    ],
    ["computer", { type: "computer_20250124", ...display }, ["scroll_amount", "hold_key"], ["zoom"]],
    ["computer", { type: "computer_20251124", ...display }, ["triple_click"], ["zoom"]],
    ["computer", { type: "computer_20251124", ...display, enable_zoom: true }, ["zoom", "region"], []],
    ["computer", { type: "computer_20990101", ...display }, ["scroll_amount"], []],
  ])("%s is offered with what its version has: %j", (name, fields, has, hasNot) => {
    const tool = offered({ ...fields, name });
    expect(tool.name).toBe(name);
    for (const word of has) expect(tool.text).toContain(word);
    for (const word of hasNot) expect(tool.text).not.toContain(word);
  });

  it("says what the request says about it", () => {
    expect(offered({ type: "computer_20250124", name: "computer", ...display }).description).toContain("800 by 600");
    const editor = { type: "text_editor_20250728", name: "str_replace_based_edit_tool", max_characters: 9_000 };
    expect(offered(editor).description).toContain("9000 characters");
  });

  it("is refused without a name", () => {
    expect(() => offered({ type: "bash_20250124" })).toThrow("tools[0]");
  });
});
