import { describe, expect, it } from "vitest";
import { called, stopped, text, tool } from "../../../../testing/samples/sample-turns.js";
import { GatewayError } from "../../turn/error.js";
import type { Batch, TurnEvent } from "../../turn/event.js";
import type { ToolChoice, ToolDefinition } from "../../turn/turn.js";
import { ChoiceKeeper, callableTools, OneAtATime, ToolLists, toolChoiceInstruction } from "./tool-choice.js";

const tools: readonly ToolDefinition[] = ["read", "bash"].map(tool);
const auto: ToolChoice = { type: "auto" };
const none: ToolChoice = { type: "none" };
const required: ToolChoice = { type: "required" };
const bash: ToolChoice = { type: "tool", name: "bash" };

const said = text("Hello");

function call(name: string, runs: "client" | "gateway" | "backend" = "client"): TurnEvent {
  return { type: "call", id: `call-${name}`, name, runs };
}

describe("the instruction for a tool choice", () => {
  it.each<[ToolChoice, boolean, RegExp]>([
    [auto, true, /^$/],
    [auto, false, /^Call one tool at a time/],
    [none, true, /without calling any tool\.$/],
    [none, false, /without calling any tool\.$/],
    [required, true, /at least one of the offered tools, not in text alone\.$/],
    [required, false, /at least one of the offered tools.*one tool at a time/],
    [bash, true, /the tool "bash" and no other, not in text alone\.$/],
    [bash, false, /the tool "bash".*one tool at a time/],
  ])("says what %j with parallel calls %s asks for", (choice, isParallel, words) => {
    expect(toolChoiceInstruction(choice, isParallel)).toMatch(words);
  });
});

describe("the offered tools", () => {
  it.each([auto, required])("are the same object for $type", (choice) =>
    expect(callableTools(tools, choice)).toBe(tools),
  );
  it("are empty for none", () => expect(callableTools(tools, none)).toEqual([]));
  it("are only the named one", () => expect(callableTools(tools, bash)).toEqual([tools[1]]));
  it("may be empty when the model is free", () => expect(callableTools([], auto)).toEqual([]));

  it.each<[readonly ToolDefinition[], ToolChoice, string]>([
    [tools, { type: "tool", name: "Bash" }, '"Bash"'],
    [[], bash, '"bash"'],
    [[], required, "no tool that can be called"],
  ])("cannot meet a choice of a missing tool", (offered, choice, words) => {
    const attempt = () => callableTools(offered, choice);
    expect(attempt).toThrow(GatewayError);
    expect(attempt).toThrow(words);
    expect(attempt).toThrow(expect.objectContaining({ code: "invalid_request", param: "tool_choice" }));
  });
});

describe("a choice keeper", () => {
  it.each<[string, ToolChoice, Batch, boolean]>([
    ["auto and no call", auto, [said, stopped], true],
    ["none and no call", none, [said, stopped], true],
    ["required and no call", required, [said, stopped], false],
    ["required and a call", required, [said, call("read")], true],
    ["required and a call that the gateway ran", required, [call("read", "gateway"), stopped], false],
    ["required and a call that Cursor ran", required, [call("read", "backend"), stopped], false],
    ["a named tool and no call", bash, [said, stopped], false],
    ["a named tool and its call", bash, [call("bash")], true],
    ["a named tool and another's call", bash, [call("read")], false],
    ["a named tool and both calls", bash, [call("bash"), call("read")], true],
    ["required and a reply cut at its length", required, [said, { type: "finish", reason: "length" }], true],
    ["a named tool and a filtered reply", bash, [{ type: "finish", reason: "filtered" }], true],
  ])("judges %s", (_, choice, events, isHonoured) => {
    const keeper = new ChoiceKeeper(choice);
    for (const event of events) keeper.push([event]);
    expect(keeper.isHonoured).toBe(isHonoured);
    const whole = new ChoiceKeeper(choice);
    whole.push(events);
    expect(whole.isHonoured).toBe(isHonoured);
  });

  it("nudges only if a call is required, and by its name", () => {
    expect(new ChoiceKeeper(auto).nudge).toBe("");
    expect(new ChoiceKeeper(none).nudge).toBe("");
    expect(new ChoiceKeeper(required).nudge).toContain("Call one of the offered tools now");
    expect(new ChoiceKeeper(bash).nudge).toContain('Call "bash" now');
  });
});

describe("one call at a time", () => {
  function whole(id: string, name: string, ...input: string[]): TurnEvent[] {
    return [
      { type: "call", id, name, runs: "client" },
      ...input.map((delta): TurnEvent => ({ type: "call-input", id, delta })),
      { type: "call-end", id },
    ];
  }
  const first = whole("1", "read", '{"path":', '"a"}');
  const second = whole("2", "bash", '{"command":', '"ls"}');
  const third = whole("3", "list");

  it("passes the first client call and holds the others, in one batch or many", () => {
    const step = new OneAtATime();
    expect(step.push([said, ...first, ...second, ...third, called])).toEqual([said, ...first, called]);
    const one = new OneAtATime();
    const passed = [said, ...first, ...second, called].flatMap((event) => one.push([event]));
    expect(passed).toEqual([said, ...first, called]);
  });

  it("does not count calls that the gateway or the backend runs", () => {
    const elsewhere: TurnEvent[] = [
      { type: "call", id: "g", name: "search", runs: "gateway" },
      { type: "call-input", id: "g", delta: "{}" },
      { type: "call-end", id: "g" },
      { type: "call-result", id: "g", summary: "found" },
      { type: "call", id: "b", name: "think", runs: "backend" },
    ];
    const step = new OneAtATime();
    const batch = [...elsewhere, ...first, ...elsewhere];
    expect(step.push(batch)).toBe(batch);
  });

  it("returns the same array when nothing is held, and an empty one when all is", () => {
    const step = new OneAtATime();
    const plain: Batch = [said];
    expect(step.push(plain)).toBe(plain);
    expect(step.push(first)).toBe(first);
    expect(step.push(second)).toEqual([]);
  });
});

const list = (name: string, description = ""): ToolDefinition[] => [
  { name, description, inputSchema: { type: "object", properties: { a: {}, b: {} } } },
];

describe("lists of tools", () => {
  it("are one object exactly if they are equal", () => {
    const lists = new ToolLists();
    const first = list("read");
    expect(lists.same(first)).toBe(first);
    expect(lists.same(list("read"))).toBe(first);
    expect(lists.same([])).toBe(lists.same([]));
    const withSchema = (inputSchema: ToolDefinition["inputSchema"]) => [{ name: "read", description: "", inputSchema }];
    const others: ToolDefinition[][] = [
      list("write"),
      list("read", "Reads."),
      [...list("read"), ...list("write")],
      withSchema({ type: "object", properties: { b: {}, a: {} } }),
      withSchema({ type: "object", properties: { a: {} } }),
      withSchema({ type: "object", properties: { a: {}, b: [] } }),
      withSchema({ type: "object", properties: { a: {}, b: null } }),
      withSchema({ type: "object", properties: { a: {}, b: [[1, 2]] } }),
      withSchema({ type: "object", properties: { a: {}, b: [[1, "2"]] } }),
      withSchema({ type: "object", properties: { a: {}, b: [[1, 2, 3]] } }),
    ];
    const equal = structuredClone(others);
    for (const other of others) expect(lists.same(other)).toBe(other);
    for (const [at, other] of equal.entries()) expect(lists.same(other)).toBe(others[at]);
  });

  it("are evicted beyond a number, the least recently used first", () => {
    const lists = new ToolLists();
    const used = lists.same(list("used"));
    const unused = lists.same(list("unused"));
    for (let at = 0; at < 63; at++) {
      lists.same(list(`tool ${at}`));
      expect(lists.same(list("used"))).toBe(used);
    }
    expect(lists.same(list("unused"))).not.toBe(unused);
  });

  it("are evicted beyond a total size, and not kept if one is larger than that", () => {
    const lists = new ToolLists();
    const large = lists.same(list("large", "x".repeat(1_200_000)));
    expect(lists.same(list("large", "x".repeat(1_200_000)))).toBe(large);
    const small = lists.same(list("small"));
    lists.same(list("larger", "y".repeat(1_200_000)));
    expect(lists.same(list("large", "x".repeat(1_200_000)))).not.toBe(large);
    expect(lists.same(list("small"))).not.toBe(small); // it was the oldest when the large one returned
    const huge = lists.same(list("huge", "x".repeat(2_200_000)));
    expect(lists.same(list("huge", "x".repeat(2_200_000)))).not.toBe(huge);
  });
});
