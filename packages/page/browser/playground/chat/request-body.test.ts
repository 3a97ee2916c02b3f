import { expect, it } from "vitest";
import { type Asking, type Said, toBody } from "./request-body.js";
import { defaultTool, toChatTool } from "./tool.js";

const plain: Asking = { model: "m", effort: "", system: "", tool: undefined };
const person = (text: string, ...dataUrls: string[]): Said => ({
  by: "person",
  message: { text, pictures: dataUrls.map((dataUrl) => ({ name: "x", bytes: 1, dataUrl })) },
});

it("contains only what was chosen", () => {
  expect(toBody(plain, [person("hi")])).toEqual({
    model: "m",
    messages: [{ role: "user", content: "hi" }],
    stream: true,
    stream_options: { include_usage: true },
  });
  const tool = toChatTool(defaultTool);
  expect(toBody({ model: "m", effort: "low", system: " Be terse. ", tool }, [])).toMatchObject({
    messages: [{ role: "system", content: " Be terse. " }],
    reasoning_effort: "low",
    tools: [tool],
  });
});

it("puts images after the text", () => {
  const image = { type: "image_url", image_url: { url: "data:a" } };
  expect(toBody(plain, [person("What?", "data:a"), person("", "data:a")]).messages).toEqual([
    { role: "user", content: [{ type: "text", text: "What?" }, image] },
    { role: "user", content: [image] },
  ]);
});

it("contains calls and results unchanged", () => {
  const call = { id: "c1", name: "t", arguments: '{"a": 1}' };
  const said: Said[] = [
    { by: "model", reply: { text: { whole: "" }, calls: [call] } },
    { by: "tools", results: [{ call, text: "fine" }] },
  ];
  expect(toBody(plain, said).messages).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "t", arguments: '{"a": 1}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: "fine" },
  ]);
});

it("omits an empty reply", () => {
  const nothing: Said = { by: "model", reply: { text: { whole: "" }, calls: [] } };
  expect(toBody(plain, [person("a"), nothing, person("b")]).messages.map(({ role }) => role)).toEqual(["user", "user"]);
});
