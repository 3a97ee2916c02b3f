import { describe, expect, it } from "vitest";
import { user as userSays } from "../../../../testing/samples/sample-turns.js";
import type { CallBlock, ToolResult } from "../../turn/blocks.js";
import { GatewayError } from "../../turn/error.js";
import type { Message } from "../../turn/turn.js";
import { callFingerprint, guardFromTranscript, LoopGuard, outcomeOf } from "./loop-guard.js";

const testRun = { name: "bash", input: '{"command":"npm test"}' };
const edit = { name: "edit", input: '{"path":"a.ts","text":"x"}' };

function text(content: string, isError = false): ToolResult {
  return { callId: "any", content: [{ type: "text", text: content }], isError };
}

function failure(action: () => unknown): GatewayError {
  try {
    action();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
  }
  throw new Error("The guard let it pass.");
}

type Round = [call: { name: string; input: string }, result: ToolResult];

/** At which of these rounds the guard ends the run; undefined if it lets all of them pass. */
function refusedAt(maxRepeats: number, rounds: readonly Round[]): number | undefined {
  const guard = new LoopGuard(maxRepeats);
  const at = rounds.findIndex(([call, result]) => guard.add(call, result) !== undefined);
  return at === -1 ? undefined : at + 1;
}

/** All rounds of the given number of repeats, in order. */
function repeat(times: number, roundsAt: (time: number) => Round[]): Round[] {
  return Array.from({ length: times }, (_, time) => roundsAt(time)).flat();
}

/** The same for repeated rounds. */
function refusedOf(maxRepeats: number, times: number, roundsAt: (time: number) => Round[]): number | undefined {
  return refusedAt(maxRepeats, repeat(times, roundsAt));
}

const failed: Round = [testRun, text("2 failed")];

describe("the loop guard", () => {
  it.each([1, 2, 3, 7])("lets a call and %d repeats pass and ends the run at the next", (maxRepeats) => {
    expect(refusedOf(maxRepeats, 20, () => [failed])).toBe(maxRepeats + 2);
  });

  it("keeps refusing the same call", () => {
    const guard = new LoopGuard(1);
    guard.record(testRun, text("2 failed"));
    guard.record(testRun, text("2 failed"));
    failure(() => guard.record(testRun, text("2 failed")));
    expect(failure(() => guard.record(testRun, text("2 failed"))).message).toContain("4 times");
  });

  it("is off at 0", () => {
    expect(refusedOf(0, 50, () => [failed])).toBeUndefined();
  });

  it("always lets the same test run pass after a new edit", () => {
    const newEdit = (time: number): Round => [{ ...edit, input: `{"path":"a.ts","text":"${time}"}` }, text("done")];
    expect(refusedOf(2, 10, (time) => [failed, newEdit(time)])).toBeUndefined();
    expect(refusedOf(2, 10, () => [failed, newEdit(1)])).toBe(8);
  });

  it.each([
    ["two alternating calls", [testRun, edit]],
    ["three alternating calls", [testRun, edit, { name: "ls", input: "{}" }]],
    ["a parallel group that has one call twice", [testRun, testRun, edit]],
  ])("ends a run of %s", (_, calls) => {
    const guard = new LoopGuard(2);
    const play = () => {
      for (const call of calls) guard.record(call, text("as before"));
    };
    play();
    const again = () => {
      for (let time = 0; time < 4; time++) play();
    };
    expect(failure(again).code).toBe("tool_loop");
  });

  it("lets a poll pass if another call shows something new each time", () => {
    const poll: Round = [testRun, text("still running")];
    expect(refusedOf(1, 10, (time) => [poll, [edit, text(`line ${time}`)]])).toBeUndefined();
  });

  it("detects a loop of old calls after a new one", () => {
    expect(refusedAt(1, [failed, [edit, text("done")], failed, failed, failed])).toBe(5);
  });

  it("forgets the oldest of very many calls", () => {
    const readMany = (count: number) =>
      repeat(count, (file) => [[{ name: "read", input: `{"path":"${file}"}` }, text("same")]]);
    expect(refusedOf(1, 5, () => readMany(300))).toBeUndefined();
    expect(refusedOf(1, 5, () => readMany(200))).toBe(600);
  });

  it("starts over after a new call", () => {
    expect(refusedAt(1, [failed, failed, [edit, text("done")], failed, failed, failed])).toBe(6);
  });

  it("lets polling pass that shows something new", () => {
    expect(refusedOf(1, 10, (time) => [[testRun, text(`${time} %`)]])).toBeUndefined();
  });

  it.each<[string, ToolResult, ToolResult]>([
    ["only one is an error", text("x"), text("x", true)],
    [
      "the blocks are cut elsewhere",
      text("ab"),
      { ...text("a"), content: [...text("a").content, ...text("b").content] },
    ],
    ["the images differ", image(1), image(2)],
    ["the addresses differ", remote("https://a.example/1"), remote("https://a.example/2")],
    ["one has an image besides", text("a"), { ...text("a"), content: [...text("a").content, ...image(1).content] }],
  ])("distinguishes two results when %s", (_, one, other) => {
    const rounds = repeat(5, (): Round[] => [
      [testRun, one],
      [testRun, other],
    ]);
    expect(refusedAt(1, rounds)).toBeUndefined();
  });

  it.each([image(1), remote("https://a.example/1"), { callId: "any", content: [], isError: false }])(
    "recognises a result without text",
    (result) => expect(refusedOf(1, 3, () => [[testRun, result]])).toBe(3),
  );

  it("recognises a call that is written differently, and a result under another call id", () => {
    const otherwise = { name: "edit", input: '{ "text": "x", "path": "a.ts" }' };
    const rounds = [edit, otherwise, edit].map((call, at): Round => [call, { ...text("done"), callId: `${at}` }]);
    expect(refusedAt(1, rounds)).toBe(3);
  });

  it.each([
    [text("all fine"), "same result"],
    [text("it broke", true), "same error"],
    [text("InputValidationError: path is missing", true), "same complaint about its arguments"],
  ])("names the tool, the number, the outcome and the setting", (result, words) => {
    const guard = new LoopGuard(2);
    for (let time = 0; time < 3; time++) guard.record(testRun, result);
    const error = failure(() => guard.record(testRun, result));
    expect(error).toMatchObject({ code: "tool_loop", kind: "bad-request", isRetryable: false });
    for (const part of ['"bash"', "4 times", words, "TOOL_LOOP_MAX_REPEAT", "now 2"])
      expect(error.message).toContain(part);
    expect(error.message).not.toContain("npm test");
  });
});

describe("the outcome of a call", () => {
  it.each([
    ["12 files changed"],
    ["0 errors, 3 warnings"],
    ["errors.ts\nindex.ts"],
    ["The error was in line 3."],
    ["src/error.ts: export class GatewayError"],
    ['{"items":[],"error":null}'],
    ["Required properties: name. The schema expected string, received nothing odd."],
    [""],
  ])("is success for %j", (content) => expect(outcomeOf(text(content))).toBe("success"));

  it.each([
    ["Error: ENOENT, no such file"],
    ["  error while reading"],
    ["TypeError: x is not a function"],
    ["java.lang.NullPointerException: null"],
    ["<tool_use_error>File has not been read yet</tool_use_error>"],
    ['{"error":"not found"}'],
    ["[ERROR] disk full"],
    ["fatal: not a git repository"],
    ["Failed to fetch"],
    ["Traceback (most recent call last):\n  File"],
    ["Unable to open the file"],
    ["Cannot find module"],
    ["Could not connect"],
  ])("is an error for %j", (content) => expect(outcomeOf(text(content))).toBe("error"));

  it.each([
    ["InputValidationError: bash failed due to the following issue"],
    ["Error: missing required parameter 'path'"],
    ["Invalid arguments for tool read"],
    ["ZodError: [ { code: invalid_type } ]"],
    ["Error: expected string, received undefined"],
    ["error: unrecognized key: paht"],
    ["<error>Required property 'name' is absent</error>"],
    ["Validation failed: name"],
    ['{"error":"invalid_arguments"}'],
    ["Error: the input does not match the schema"],
  ])("is a complaint about the arguments for %j", (content) => expect(outcomeOf(text(content))).toBe("invalid"));

  it("trusts the client's error flag before the text", () => {
    expect(outcomeOf(text("12 files changed", true))).toBe("error");
    expect(outcomeOf(text("Your call has an unknown argument: depth", true))).toBe("invalid");
    expect(outcomeOf({ callId: "any", content: [], isError: true })).toBe("error");
  });

  it("is read only from the beginning of a large text", () => {
    expect(outcomeOf(text(`Error: no.\n${"x".repeat(1_000)} invalid arguments`))).toBe("error");
  });
});

describe("the fingerprint of a call", () => {
  it.each([
    ['{"a":1,"b":[1,{"c":null,"d":true}]}', ' { "b" : [ 1.0, { "d":true, "c":null } ], "a":1e0 } '],
    ['{"n":0}', '{"n":-0.0}'],
    ['{"n":0.1}', '{"n":0.10}'],
    ['{"s":"é/"}', '{"s":"\\u00e9\\/"}'],
  ])("is one for %j and %j", (one, other) => expect(callFingerprint("t", one)).toBe(callFingerprint("t", other)));

  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":null}', "{}"],
    ['{"a":{"b":1}}', '{"a":{},"b":1}'],
    ['{"id":12345678901234567890}', '{"id":12345678901234567891}'],
    ['{"n":1e999}', '{"n":1e998}'],
    ['{"__proto__":1}', '{"__proto__":2}'],
    ["plain text", "plain  text"],
    ['{"a":', '{"a"'],
    ['"text"', "text"],
  ])("separates %j and %j", (one, other) => expect(callFingerprint("t", one)).not.toBe(callFingerprint("t", other)));

  it("distinguishes tools, even if name and arguments could run together", () => {
    expect(callFingerprint("a", "{}")).not.toBe(callFingerprint("b", "{}"));
    expect(callFingerprint("a", "bc")).not.toBe(callFingerprint("ab", "c"));
  });

  it("is short, and survives arguments nested deeper than the stack", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    expect(callFingerprint("t", deep)).toHaveLength(43);
    expect(callFingerprint("t", deep)).toBe(callFingerprint("t", deep));
  });
});

describe("the guard from a transcript", () => {
  const user = userSays("Go.");

  function calls(...blocks: [id: string, call: { name: string; input: string }][]): Message {
    return { role: "assistant", content: blocks.map(([id, call]): CallBlock => ({ type: "call", id, ...call })) };
  }

  function results(...blocks: [id: string, content: string][]): Message {
    return { role: "tool", results: blocks.map(([callId, content]) => ({ ...text(content), callId })) };
  }

  function rounds(times: number, content = "2 failed", call = testRun): Message[] {
    return Array.from({ length: times }, (_, index) => [
      calls([`${call.name}-${content}-${index}`, call]),
      results([`${call.name}-${content}-${index}`, content]),
    ]).flat();
  }

  /** Whether a run that continues this transcript with these rounds is ended. */
  function isRefused(maxRepeats: number, messages: readonly Message[], ...further: Round[]): boolean {
    try {
      const guard = guardFromTranscript(messages, maxRepeats);
      for (const [call, result] of further) guard.record(call, result);
      return false;
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: "tool_loop" });
      return true;
    }
  }

  it("continues the count of the transcript", () => {
    const guard = guardFromTranscript([user, ...rounds(3)], 2);
    expect(failure(() => guard.record(...failed)).message).toContain("4 times");
    expect(isRefused(2, [user, ...rounds(3)], [testRun, text("1 failed")])).toBe(false);
  });

  it("refuses a transcript that ends in a loop, so that a retry does not continue it", () => {
    expect(isRefused(2, [user, ...rounds(4)])).toBe(true);
    expect(isRefused(3, [user, ...rounds(4)])).toBe(false);
    expect(isRefused(0, [user, ...rounds(40)], failed)).toBe(false);
  });

  it("forgives a loop that the model has left by itself", () => {
    expect(isRefused(2, [user, ...rounds(9), ...rounds(1, "done", edit)])).toBe(false);
    expect(isRefused(2, [user, ...rounds(9), ...rounds(1, "all passed")])).toBe(false);
  });

  it("forgets what came before the newest user message", () => {
    const transcript = [user, ...rounds(4), user];
    expect(isRefused(2, transcript, failed, failed, failed)).toBe(false);
    expect(isRefused(2, transcript, failed, failed, failed, failed)).toBe(true);
  });

  it("counts in the order of the calls, whatever the order of the results", () => {
    const rest = [results(["c", "done"]), results(["b", "2 failed"], ["a", "2 failed"])];
    const same = [user, calls(["c", edit], ["a", testRun], ["b", testRun]), ...rest];
    expect(isRefused(1, same, failed)).toBe(true);
    const parted = [user, calls(["a", testRun], ["c", edit], ["b", testRun]), ...rest];
    expect(isRefused(1, parted, failed)).toBe(false);
  });

  it("pairs reused ids with their results in turn", () => {
    const again = [calls(["call_0", testRun]), results(["call_0", "2 failed"])];
    expect(isRefused(1, [user, ...again, ...again, ...again])).toBe(true);
    const other = [calls(["call_0", testRun]), results(["call_0", "1 failed"])];
    expect(isRefused(1, [user, ...again, ...again, ...other])).toBe(false);
  });

  it("ignores calls without results and results without calls", () => {
    expect(isRefused(1, [user, ...rounds(3), calls(["open", edit]), results(["stray", "x"])])).toBe(true);
    expect(isRefused(1, [])).toBe(false);
  });
});

function image(byte: number): ToolResult {
  return { ...text(""), content: [{ type: "image", mimeType: "image/png", data: Uint8Array.of(byte) }] };
}

function remote(url: string): ToolResult {
  return { callId: "any", content: [{ type: "remote-image", url }], isError: false };
}
