import { describe, expect, it } from "vitest";
import { createDice, type Dice } from "../../../../../testing/dice.js";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { GatewayError } from "../../../turn/error.js";
import { RequestMemory } from "../request-memory.js";
import { KnownBodies } from "./known-bodies.js";
import { parseJson } from "./parse-json.js";

const MiB = 1024 * 1024;
const PROMPT = "You are an agent. ".repeat(2_000);

interface Body {
  readonly model: string;
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[];
}

function setUp(totalBytes = 256 * MiB) {
  const clock = new ManualClock();
  const memory = new RequestMemory(MiB, totalBytes);
  const bodies = new KnownBodies(memory, clock);
  const parse = (body: unknown, owner = "ada") => bodies.parse(Buffer.from(JSON.stringify(body)), owner) as Body;
  return { clock, memory, bodies, parse };
}

function conversation(rounds: number, tools: readonly unknown[] = [{ name: "look", description: "x".repeat(20_000) }]) {
  const messages: unknown[] = [{ role: "system", content: PROMPT }];
  for (let round = 0; round < rounds; round++) messages.push({ role: "user", content: `Grüße ${round} "]},{` });
  return { model: "auto", messages, tools };
}

/** The outcome of a parser: the value with the order of its fields, or the error. */
function outcomeOf(parse: () => unknown): string {
  try {
    return JSON.stringify(parse());
  } catch (thrown) {
    return thrown instanceof GatewayError ? `${thrown.code}: ${thrown.message}` : String(thrown);
  }
}

describe("a body that begins like an earlier one", () => {
  it("has the same objects as that one, and its own new ones", () => {
    const { parse } = setUp();
    const first = parse(conversation(3));
    const second = parse(conversation(5));
    const third = parse({ ...conversation(6), tools: [] });
    expect(second).toEqual(conversation(5));
    expect(third).toEqual({ ...conversation(6), tools: [] });
    for (const [at, message] of first.messages.entries()) {
      expect(second.messages[at]).toBe(message);
      expect(third.messages[at]).toBe(message);
    }
    expect(third.messages[5]).toBe(second.messages[5]);
    expect(parse(conversation(8)).messages[6]).toBe(third.messages[6]);
  });

  it("has the same tools from its second repetition on", () => {
    const { parse } = setUp();
    parse(conversation(1));
    const { tools } = parse(conversation(2));
    expect(parse(conversation(3)).tools).toBe(tools);
    expect(parse(conversation(4, [{ name: "other" }])).tools).not.toBe(tools);
  });

  it("shares nothing with a body of another owner", () => {
    const { parse } = setUp();
    const [own] = parse(conversation(3)).messages;
    expect(parse(conversation(3), "grace").messages[0]).not.toBe(own);
    expect(parse(conversation(3), "ada").messages[0]).toBe(own);
  });
});

describe("what a body is taken for", () => {
  const flaws: readonly (readonly [string, (text: string) => string])[] = [
    ["a list of the same name after it", (text) => text.replace(/}$/, ',"messages":[]}')],
    ["the same list again, with an escape in its name", (text) => text.replace(/}$/, ',"m\\u0065ssages":[{}]}')],
    ["a comma after the last message", (text) => text.replace('}],"tools"', '},],"tools"')],
    ["two commas between messages", (text) => text.replace(/},(?=[^[]*\],"tools")/, "},,")],
    ["no comma between messages", (text) => text.replace(/},(?=[^[]*\],"tools")/, "} ")],
    ["a space that JSON does not know", (text) => text.replace(/},(?=[^[]*\],"tools")/, "}\u00a0,")],
    ["a message that is a number", (text) => withMessage(text, 5)],
    ["a message that is a list", (text) => withMessage(text, [{}])],
    ["a comma in place of a brace", (text) => text.replace(/}(?=,[^,]*,"content":"Grüße 31)/, ",")],
    ["another list after it", (text) => text.replace('}],"tools"', '}],"also":[{}],"tools"')],
    ["a brace too many", (text) => text.replace('}],"tools"', '}}],"tools"')],
    ["another kind of bracket", (text) => text.replace('}],"tools"', '}},"tools"')],
    ["its end cut off", (text) => text.slice(0, -1)],
    ["more after its end", (text) => `${text}{}`],
    ["a byte order mark", (text) => `\uFEFF${text}`],
    ["a field that sets its prototype", (text) => text.replace(/}$/, ',"__proto__":{"x":1}}')],
  ];

  it.each(flaws)("does not depend on an earlier body, with %s", (_, flaw) => {
    const { bodies, parse } = setUp();
    parse(conversation(30));
    parse(conversation(31));
    const body = Buffer.from(flaw(JSON.stringify(conversation(33))));
    expect(outcomeOf(() => bodies.parse(body, "ada"))).toBe(outcomeOf(() => parseJson(body)));
    expect(outcomeOf(() => bodies.parse(body, "ada"))).toBe(outcomeOf(() => parseJson(body)));
    const later = Buffer.from(flaw(JSON.stringify(conversation(36))));
    expect(outcomeOf(() => bodies.parse(later, "ada"))).toBe(outcomeOf(() => parseJson(later)));
    expect(parse(conversation(37))).toEqual(conversation(37));
  });

  it("does not depend on earlier bodies, whatever is changed", () => {
    for (let seed = 1; seed <= 12; seed++) expect(playConversation(createDice(seed), 60)).toBeUndefined();
  });
});

/** Adds a message after the 31st of the user. */
function withMessage(text: string, message: unknown): string {
  const body: { messages: unknown[] } = JSON.parse(text);
  body.messages.splice(32, 0, message);
  return JSON.stringify(body);
}

/** A client that adds, removes and breaks things. Returns the first outcome that is not the one that the body has alone. */
function playConversation(dice: Dice, requests: number): string | undefined {
  const { bodies } = setUp();
  const grown = conversation(2 + dice.roll(40));
  for (let request = 0; request < requests; request++) {
    for (let added = dice.roll(4); added > 0; added--) grown.messages.push(anyMessage(dice));
    if (dice.roll(12) === 0) grown.messages.splice(1 + dice.roll(grown.messages.length), 1 + dice.roll(5));
    const tools = dice.roll(8) === 0 ? [anyMessage(dice)] : grown.tools;
    const bytes = Buffer.from(JSON.stringify({ ...grown, tools }, null, dice.roll(20) === 0 ? 1 : 0));
    const body = dice.roll(2) === 0 ? bytes : changed(bytes, dice);
    const seen = outcomeOf(() => bodies.parse(body, dice.pick(["ada", "ada", "grace"])));
    const expected = outcomeOf(() => parseJson(body));
    if (seen !== expected) return `request ${request}: ${seen.slice(-200)} in place of ${expected.slice(-200)}`;
  }
  return undefined;
}

function anyMessage(dice: Dice): unknown {
  const text = dice.pick(["", "a", '"', "\\", "]},", '{"messages":[', "é🐦", "\\u0041", "x".repeat(300), "\n\t"]);
  return dice.pick([
    { role: "user", content: text },
    { role: "tool", tool_call_id: text, content: [{ type: "text", text }, []] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", function: { name: "look", arguments: `{"a":"${text}"}` } }],
    },
    {},
  ]);
}

const SIGNS = ['"', "\\", "{", "}", "[", "]", ",", ":", " ", "\u00a0", "0", "é", '"messages":[', "}],", "null"];

/** One piece is replaced, removed, added or moved; most often near the end, where bodies grow. */
function changed(bytes: Buffer, dice: Dice): Buffer {
  const from = dice.roll(3) === 0 ? 0 : Math.max(0, bytes.length - 21_000 - dice.roll(2_000));
  const at = from + dice.roll(bytes.length - from);
  const length = dice.roll(4);
  const added = dice.pick([
    Buffer.from(dice.pick(SIGNS)),
    Buffer.from([dice.roll(256)]),
    bytes.subarray(at, at + dice.roll(80)),
  ]);
  return Buffer.concat([
    bytes.subarray(0, at),
    dice.roll(4) === 0 ? Buffer.alloc(0) : added,
    bytes.subarray(at + length),
  ]);
}

describe("the memory of known bodies", () => {
  it("is given up for requests that need it", () => {
    const { memory, parse } = setUp(2 * MiB);
    const first = parse(conversation(3));
    expect(parse(conversation(4)).messages[0]).toBe(first.messages[0]);
    const hold = memory.hold();
    hold.take(2.1 * MiB);
    hold.release();
    expect(parse(conversation(5)).messages[0]).not.toBe(first.messages[0]);
  });

  it("is given up after ten minutes without use", () => {
    const { clock, parse } = setUp();
    const [first] = parse(conversation(3)).messages;
    clock.advance(6 * 60_000);
    expect(parse(conversation(4)).messages[0]).toBe(first);
    clock.advance(6 * 60_000);
    expect(parse(conversation(5)).messages[0]).toBe(first);
    clock.advance(21 * 60_000);
    expect(parse(conversation(6)).messages[0]).not.toBe(first);
  });

  it("ends with the oldest of many conversations", () => {
    const { parse } = setUp();
    const named = (name: string, rounds: number) => ({ ...conversation(rounds), model: name });
    const [first] = parse(named("first", 3)).messages;
    for (let other = 0; other < 15; other++) parse(named(`other-${other}`, 3));
    expect(parse(named("first", 4)).messages[0]).toBe(first);
    for (let other = 0; other < 16; other++) parse(named(`later-${other}`, 3));
    expect(parse(named("first", 5)).messages[0]).not.toBe(first);
  });
});
