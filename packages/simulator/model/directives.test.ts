import { Code } from "@connectrpc/connect";
import { ErrorDetails_Error } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { describe, expect, it } from "vitest";
import { type Directive, scanDirectives } from "./directives.js";

function read(text: string): Directive[] {
  return scanDirectives(text).map(({ directive }) => directive);
}

const readable: [string, Directive[]][] = [
  ["[[say hello world]]", [{ type: "say", text: "hello world" }]],
  ["[[say  two\nlines ]]", [{ type: "say", text: " two\nlines " }]],
  ["[[say]]", [{ type: "say", text: "" }]],
  ["[[say a ] b]] c]]", [{ type: "say", text: "a ] b" }]],
  ["[[SAY loud]]", [{ type: "say", text: "loud" }]],
  ["[[think hm]]", [{ type: "think", text: "hm" }]],
  ["[[call get_weather]]", [{ type: "call", name: "get_weather", args: {} }]],
  ['[[call a {"x": [[1], "]]"]}]]', [{ type: "call", name: "a", args: { x: [[1], "]]"] } }]],
  ['[[call a{"q":"\\"}"} ]]', [{ type: "call", name: "a", args: { q: '"}' } }]],
  ['[[native shell {"command":"ls"}]]', [{ type: "native", kind: "shell", args: { command: "ls" } }]],
  ['[[query web_search {"searchTerm":"x"}]]', [{ type: "query", kind: "web_search", args: { searchTerm: "x" } }]],
  ["[[exec 99]]", [{ type: "exec", field: 99 }]],
  ["[[state]]", [{ type: "state" }]],
  ["[[partial]]", [{ type: "partial" }]],
  ["[[drop]]", [{ type: "drop" }]],
  ["[[drop ONCE]]", [{ type: "drop", isOnce: true }]],
  ["[[end]]", [{ type: "end" }]],
  ["[[goaway]]", [{ type: "goaway" }]],
  ["[[goaway cut once]]", [{ type: "goaway", isCut: true, isOnce: true }]],
  ["[[update 25]]", [{ type: "update", field: 25 }]],
  ["[[gap 150]]", [{ type: "gap", ms: 150 }]],
  ["[[delay-checkpoint 600]]", [{ type: "delay-checkpoint", ms: 600 }]],
  ["[[wait 30]]", [{ type: "wait", ms: 30 }]],
  ["[[stream 100000]]", [{ type: "stream", count: 100_000 }]],
  ["[[flood 50000]]", [{ type: "flood", count: 50_000 }]],
  ["[[badjson 2]]", [{ type: "badjson", count: 2 }]],
  ["[[ignore 2]]", [{ type: "ignore", count: 2 }]],
  ["[[refuse I will not.]]", [{ type: "refuse", text: "I will not." }]],
  ['[[call "get weather" {"x":1}]]', [{ type: "call", name: "get weather", args: { x: 1 } }]],
  ['[[call "get weather"]]', [{ type: "call", name: "get weather", args: {} }]],
  [
    '"[[call a {\\"x\\":\\"say \\\\\\"hi\\\\\\"\\"}]] [[say b]]"',
    [
      { type: "call", name: "a", args: { x: 'say "hi"' } },
      { type: "say", text: "b" },
    ],
  ],
  ['[[call \\"get weather\\" {\\"x\\":[[1]]} ]]', [{ type: "call", name: "get weather", args: { x: [[1]] } }]],
  ["[[fail unavailable]]", [{ type: "fail", code: Code.Unavailable, error: undefined }]],
  [
    "[[fail Resource_Exhausted error_rate_limited]]",
    [{ type: "fail", code: Code.ResourceExhausted, error: ErrorDetails_Error.RATE_LIMITED }],
  ],
  [
    "[[usage 1 2 3 4 5]]",
    [{ type: "usage", usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 5 } }],
  ],
  [
    "before [[say a]] between [[say b]] after",
    [
      { type: "say", text: "a" },
      { type: "say", text: "b" },
    ],
  ],
  ["if [[ -f x ]]; then [[wiki link]] [[sayings]]", []],
  ["[[say never closed", []],
  ["]] [[say never closed", []],
];

const unreadable = [
  "[[call]]",
  '[[call a {"x":}]]',
  '[[call a {"x":1} more]]',
  "[[wait soon]]",
  "[[wait -1]]",
  "[[stream 99999999]]",
  "[[exec 0]]",
  "[[drop it]]",
  "[[end cut]]",
  "[[update 0]]",
  "[[fail]]",
  "[[fail badly]]",
  "[[fail internal ERROR_NO_SUCH]]",
  "[[fail internal ERROR_TIMEOUT more]]",
  "[[usage 1 2 3]]",
  "[[usage 1 2 3 4 five]]",
];

describe("the scanner of directives", () => {
  it.each(readable)("reads %j", (text, expected) => expect(read(text)).toEqual(expected));

  it.each(unreadable)("reports %j as unreadable", (text) => {
    const [only, ...others] = read(`x ${text} y`);
    expect(others).toEqual([]);
    expect(only).toEqual({ type: "unreadable", source: text, reason: expect.stringMatching(/./) });
  });

  it("continues after an unreadable directive", () => {
    expect(read("[[wait soon]] [[say on]]").map(({ type }) => type)).toEqual(["unreadable", "say"]);
  });

  it("marks directives with only white space between them", () => {
    const scanned = scanDirectives("[[say a]]\n [[say b]], [[say c]][[say d]]");
    expect(scanned.map(({ isAdjacent }) => isAdjacent)).toEqual([false, true, false, true]);
  });
});
