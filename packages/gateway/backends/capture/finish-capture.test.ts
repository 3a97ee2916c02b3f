import type { CapturedCall } from "@curlew/wire/messages/capture-format.js";
import { expect, it } from "vitest";
import { previewOf } from "./finish-capture.js";

function call(number: number, path: string, texts: readonly string[]): CapturedCall {
  const inCall = { call: number, atMs: 0 };
  const fields = texts.map((text) => ({ kind: "text" as const, pieces: [text, { bytes: 3 }] }));
  const body = { kind: "list" as const, fields };
  return {
    opening: { type: "call", ...inCall, method: "POST", path, http: "2", headers: [] },
    events: [{ type: "frame", ...inCall, from: "server", path: "", bytes: 9, body }],
  };
}

it("shows every text of a capture in full, those of runs first", () => {
  const words = Array.from({ length: 60 }, (_, index) => `word ${index}`);
  const long = `${"long ".repeat(60)}end`;
  const models = ["gpt-5.5", "auto"];
  const calls = [
    call(1, "/aiserver.v1.AiService/AvailableModels", models),
    call(2, "/aiserver.v1.DashboardService/GetMe", ["other"]),
    call(3, "/agent.v1.AgentService/Run", [...words, long, "4711", ", "]),
  ];
  const header = { type: "capture", version: 1, curlew: "0", made: "", by: "doctor", isWhole: true } as const;
  const [, shown] = previewOf({ header, calls }).split("Readable texts");
  expect(shown?.split("\n")).toEqual([
    " (65); of all others, only the lengths:",
    ...[...words, long, "4711", "other"].map((text) => `  ${JSON.stringify(text)}`),
    '  in lists of models (2): "gpt-5.5","auto"',
    "",
  ]);
});
