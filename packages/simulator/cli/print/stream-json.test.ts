import { describe, expect, it } from "vitest";
import { Lines } from "./lines.js";
import { StreamJson } from "./stream-json.js";

function record(isPartial: boolean, scenario: object = {}) {
  let out = "";
  let err = "";
  let now = 1000;
  const rules = { stderrMirror: false, twoPerLine: false, ...scenario };
  const lines = new Lines(rules, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  const narrator = new StreamJson(
    {
      sessionId: "s",
      requestId: "r",
      durationMs: () => 7,
      keySource: "login",
      cwd: "/ws",
      model: "Auto",
      isPartial,
      scenario: { flush: "segment", retry: false, noise: [], hugeLineBytes: 0, oldBuild: false, ...scenario },
      now: () => now++,
    },
    lines,
  );
  return { narrator, lines: () => out.split("\n").slice(0, -1), mirrored: () => err };
}

const text = (said: string) => `"message":{"role":"assistant","content":[{"type":"text","text":"${said}"}]}`;
const call = { id: "call_1\nfc_1", kind: "readToolCall", args: { path: "a.txt" } };
const sent = '"toolCallId":"call_1\\nfc_1"';
const usage = { input: 10, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 1 };

describe("stream-json", () => {
  it("with partial output prints every delta, and each segment again", () => {
    const { narrator, lines } = record(true);
    narrator.begin("say hi");
    narrator.think("Hm ");
    narrator.thinkingDone();
    narrator.say("ha");
    narrator.say("ha");
    narrator.turnToTools();
    narrator.toolStarted(call);
    narrator.toolCompleted(call, { success: { content: "x" } });
    narrator.nextStep();
    narrator.say("Done.");
    narrator.finishSpeaking();
    narrator.result(usage);
    expect(lines()).toEqual([
      '{"type":"system","subtype":"init","apiKeySource":"login","cwd":"/ws","session_id":"s","model":"Auto","permissionMode":"default"}',
      '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"say hi"}]},"session_id":"s"}',
      '{"type":"thinking","subtype":"delta","text":"Hm ","session_id":"s","timestamp_ms":1000}',
      '{"type":"thinking","subtype":"completed","session_id":"s","timestamp_ms":1001}',
      `{"type":"assistant",${text("ha")},"session_id":"s","timestamp_ms":1002}`,
      `{"type":"assistant",${text("ha")},"session_id":"s","timestamp_ms":1003}`,
      `{"type":"assistant",${text("haha")},"session_id":"s","model_call_id":"r-0-aaaa","timestamp_ms":1004}`,
      `{"type":"tool_call","subtype":"started","call_id":"call_1\\nfc_1","tool_call":{"readToolCall":{"args":{"path":"a.txt",${sent}}},"hookAdditionalContexts":[],${sent},"startedAtMs":"1005"},"model_call_id":"r-0-aaaa","session_id":"s","timestamp_ms":1006}`,
      `{"type":"tool_call","subtype":"completed","call_id":"call_1\\nfc_1","tool_call":{"readToolCall":{"args":{"path":"a.txt",${sent}},"result":{"success":{"content":"x"}}},"hookAdditionalContexts":[],${sent},"startedAtMs":"1005","completedAtMs":"1007"},"model_call_id":"r-0-aaaa","session_id":"s","timestamp_ms":1008}`,
      `{"type":"assistant",${text("Done.")},"session_id":"s","timestamp_ms":1009}`,
      `{"type":"assistant",${text("Done.")},"session_id":"s"}`,
      '{"type":"result","subtype":"success","duration_ms":7,"duration_api_ms":7,"is_error":false,"result":"hahaDone.","session_id":"s","request_id":"r","usage":{"inputTokens":10,"outputTokens":2,"cacheReadTokens":3,"cacheWriteTokens":4}}',
    ]);
  });

  it("without partial output prints each segment once", () => {
    const { narrator, lines } = record(false);
    narrator.say("Hel");
    narrator.say("lo");
    narrator.turnToTools();
    narrator.say("Done.");
    narrator.finishSpeaking();
    narrator.result(undefined);
    expect(lines()).toEqual([
      `{"type":"assistant",${text("Hello")},"session_id":"s","model_call_id":"r-0-aaaa","timestamp_ms":1000}`,
      `{"type":"assistant",${text("Done.")},"session_id":"s"}`,
      '{"type":"result","subtype":"success","duration_ms":7,"duration_api_ms":7,"is_error":false,"result":"HelloDone.","session_id":"s","request_id":"r"}',
    ]);
  });

  it("replays a text after a retry", () => {
    const { narrator, lines } = record(true, { retry: true });
    for (const word of ["a ", "b ", "c"]) narrator.say(word);
    narrator.finishSpeaking();
    expect(lines().map((line) => line.replace(/,"timestamp_ms":\d+/, ""))).toEqual([
      `{"type":"assistant",${text("a ")},"session_id":"s"}`,
      `{"type":"assistant",${text("b ")},"session_id":"s"}`,
      '{"type":"connection","subtype":"reconnecting","session_id":"s"}',
      '{"type":"retry","subtype":"starting","session_id":"s","attempt":1,"is_resume":true}',
      '{"type":"retry","subtype":"resuming","session_id":"s","attempt":1,"checkpoint_turn_count":1}',
      '{"type":"connection","subtype":"reconnected","session_id":"s"}',
      `{"type":"assistant",${text("a ")},"session_id":"s"}`,
      `{"type":"assistant",${text("b ")},"session_id":"s"}`,
      `{"type":"assistant",${text("c")},"session_id":"s"}`,
      `{"type":"assistant",${text("a b c")},"session_id":"s"}`,
    ]);
  });

  it("puts noise, huge lines, a mirror and two events on a line where the scenario wants them", () => {
    const { narrator, lines, mirrored } = record(true, {
      noise: ["not JSON"],
      hugeLineBytes: 100_000,
      stderrMirror: true,
      twoPerLine: true,
    });
    narrator.begin("x");
    narrator.say("a");
    narrator.finishSpeaking();
    const [first = "", noise, huge = "", last = ""] = lines();
    expect(first).toMatch(/^\{"type":"system".*\} \{"type":"user".*\}$/);
    expect(noise).toBe("not JSON");
    expect(huge.length).toBeGreaterThan(100_000);
    expect(huge).toContain('} {"type":"assistant"');
    expect(last).toMatch(/^\{"type":"assistant"/);
    expect(mirrored().split("\n").length).toBe(6);
  });
});
