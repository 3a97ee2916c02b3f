import type { CapturedCall } from "@curlew/wire/messages/capture-format.js";
import { describe, expect, it } from "vitest";
import { leftoversIn, previewOf } from "./finish-capture.js";

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

const words = { secrets: ["hunter-two"], homeFolder: "/srv/people/ada", hostName: "ada-laptop" };

describe("leftovers", () => {
  it.each([
    ["a token or key", "crsr_0123456789abcdef"],
    ["a token or key", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${"x".repeat(43)}`],
    ["a token or key", "Bearer 0123456789abcdef"],
    ["a provider's key", "sk-ant-0123456789abcdef0123"],
    ["an e-mail address", "ada@example.com"],
    ["a home folder", "/home/ada/notes"],
    ["a home folder", JSON.stringify("C:\\Users\\ada")],
    ["an address of a computer", "http://10.1.2.3:8080"],
    ["a secret of the settings", "hunter-two"],
    ["your home folder", "/srv/people/ada/notes"],
    ["the name of this computer", "on ada-laptop."],
  ])("are %s", (what, text) => {
    const found = leftoversIn(`{"pieces":["before ${text} after"]}`, words);
    expect(found).toContain(what);
    expect(found.join()).not.toContain(text);
  });

  it("are not found in what a capture holds anyway", () => {
    const line =
      '{"path":"/agent.v1.AgentService/Run","headers":[{"name":"user-agent","pieces":["connect-es/1.7.0"]}]}';
    expect(leftoversIn(line, words)).toEqual([]);
    expect(leftoversIn('{"pieces":["ada-laptops and xada-laptop"]}', words)).toEqual([]);
    expect(leftoversIn('{"curlew":"0.1.0"}', { ...words, hostName: "curlew" })).toEqual([]);
  });
});
