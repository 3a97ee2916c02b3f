import { describe, expect, it } from "vitest";
import type { SseEvent } from "../../testing/clients/parse-sse.js";
import { goldenDialects } from "./dialects.js";
import { NormalForm } from "./normal-form.js";

const chunk = (delta: object, id = "chatcmpl-9f"): SseEvent => ({
  event: undefined,
  data: JSON.stringify({ id, created: 5, choices: [{ index: 0, delta }] }),
});
const named = (data: { type: string; [name: string]: unknown }): SseEvent => ({
  event: data.type,
  data: JSON.stringify(data),
});
const deltaPaths = goldenDialects.flatMap((dialect) => dialect.deltaPaths);
const formOf = (...events: SseEvent[]) => new NormalForm(deltaPaths).stream(events);

describe("the normal form of a stream", () => {
  it("is the same wherever the text was cut", () => {
    const one = formOf(chunk({ content: "Hello" }));
    expect(formOf(chunk({ content: "Hel" }), chunk({ content: "lo" }))).toBe(one);
    expect(formOf(chunk({ content: "Hel" }), chunk({ content: "p" }))).not.toBe(one);
    const call = (text: string) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] });
    expect(formOf(call('{"a"'), call(":1"), call("}"))).toBe(formOf(call('{"a":1}')));
    const delta = (text: string) =>
      named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
    expect(formOf(delta("a"), delta("b"))).toBe(formOf(delta("ab")));
  });

  it("keeps apart what differs in more than its text", () => {
    expect(formOf(chunk({ role: "assistant", content: "" }), chunk({ content: "a" })).split("\n\n")).toHaveLength(3);
    expect(formOf(chunk({ content: "a" }), chunk({ reasoning_content: "b" })).split("\n\n")).toHaveLength(3);
    const delta = (index: number) => named({ type: "content_block_delta", index, delta: { text: "a" } });
    expect(formOf(delta(0), delta(1)).split("\n\n")).toHaveLength(3);
  });

  it("counts ids in the order in which they come, and the events that are left", () => {
    const delta = (sequence_number: number, item_id: string) =>
      named({ type: "response.output_text.delta", sequence_number, item_id, delta: "a" });
    expect(formOf(delta(0, "msg_x"), delta(1, "msg_x"), delta(2, "fc_y"), delta(3, "msg_x"))).toBe(
      [
        'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":0,"item_id":"msg_1","delta":"aa"}\n\n',
        'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":1,"item_id":"fc_2","delta":"a"}\n\n',
        'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":2,"item_id":"msg_1","delta":"a"}\n\n',
      ].join(""),
    );
  });

  it("knows one time alone, and leaves a time that has not come", () => {
    const form = new NormalForm();
    expect(form.json({ created_at: 5, completed_at: null })).toEqual({ created_at: 1_700_000_000, completed_at: null });
  });
});
