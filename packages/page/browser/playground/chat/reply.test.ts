import { describe, expect, it } from "vitest";
import { Reply } from "./reply.js";
import { toBody } from "./request-body.js";

describe("a stream", () => {
  const streamed = (...events: string[]) => {
    const reply = new Reply(toBody({ model: "m", effort: "", system: "", tool: undefined }, []), () => 0);
    reply.begin(new Headers());
    for (const data of events) reply.take(data);
    return reply;
  };

  it("fails if it ends without a final event", () => {
    const reply = streamed('{"choices":[{"delta":{"content":"Half"}}]}');
    reply.end();
    expect(reply).toMatchObject({ state: "failed", problem: { message: expect.stringContaining("was lost") } });
  });

  it("keeps its text and drops its calls if it is stopped", () => {
    const reply = streamed(
      '{"choices":[{"delta":{"content":"Half"}}]}',
      '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":"{"}}]}}]}',
    );
    expect(reply.calls).toEqual([{ id: "a", name: "t", arguments: "{" }]);
    reply.stop();
    expect(reply).toMatchObject({ state: "stopped", calls: [], problem: undefined });
    expect(reply.text.whole).toBe("Half");
  });

  it("tolerates malformed events", () => {
    const reply = streamed("", "{", "null", "[]", '{"choices":{}}', '{"choices":[null]}', '{"error":null}', "[DONE]");
    reply.end();
    expect(reply).toMatchObject({ state: "complete", calls: [] });
    expect(reply.events.count).toBe(8);
  });
});
