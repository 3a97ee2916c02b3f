import { describe, expect, it, vi } from "vitest";
import { sampleResult } from "../../../../../testing/samples/sample-events.js";
import type { TextStore } from "../../../core/index.js";
import { GatewayError } from "../../../turn/error.js";
import { parseRequest } from "../parse.js";
import { writeReply } from "../response.js";
import { keepResponse } from "./input-items.js";
import { StoredResponses } from "./stored-responses.js";

class MapStore implements TextStore {
  readonly texts = new Map<string, string>();
  get = (id: string) => this.texts.get(id);
  put = (id: string, text: string) => void this.texts.set(id, text);
  delete = (id: string) => this.texts.delete(id);
}

/** Serves one request and its answer as the server does. */
function exchange(lasting: TextStore, id: string, body: object, answer: string, connection?: TextStore) {
  const store = { lasting, connection };
  const { request, turn } = parseRequest({ body: { model: "auto", ...body }, store });
  const response = writeReply(sampleResult(answer), request, { id, model: "auto", createdMs: 0 }, 0);
  const steps = keepResponse(response, request, store);
  let slices = 1;
  while (steps.next().done === false) slices++;
  return { response, turn, slices };
}

const textsOf = ({ messages }: { messages: readonly object[] }) =>
  JSON.stringify(messages).match(/(?<="text":")[^"]*/g) ?? [];

describe("a response that was stored", () => {
  it("is written in slices if its request is long, and yields between them", () => {
    const content = "x".repeat(2_048);
    const input = (count: number) => Array.from({ length: count }, () => ({ role: "user", content }));
    const lasting = new MapStore();
    expect(exchange(lasting, "a1", { input: input(10) }, "short").slices).toBe(1);
    expect(exchange(lasting, "a2", { input: input(2_000) }, "long").slices).toBeGreaterThanOrEqual(16);
    expect(new StoredResponses({ lasting }).get("resp_a2")?.input).toHaveLength(2_000);
  });

  it("is found with its input, each item with an id", () => {
    const lasting = new MapStore();
    const input = [
      { role: "user", content: "a" },
      { type: "message", role: "assistant", content: "b" },
      { type: "function_call", call_id: "c", name: "ls", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "d", status: "incomplete" },
      { type: "custom_tool_call", call_id: "c2", name: "sh", input: "ls" },
      { type: "custom_tool_call_output", call_id: "c2", output: "d", status: null },
      { type: "message", id: "msg_mine", role: "user", content: [{ type: "input_text", text: "e" }] },
    ];
    const { response } = exchange(lasting, "a1", { input }, "hello");
    const message = { type: "message", status: "completed" };
    expect(new StoredResponses({ lasting }).get("resp_a1")).toEqual({
      response,
      input: [
        { ...message, id: "msg_a1_in0", role: "user", content: [{ type: "input_text", text: "a" }] },
        {
          ...message,
          id: "msg_a1_in1",
          role: "assistant",
          content: [{ type: "output_text", text: "b", annotations: [] }],
        },
        { ...input[2], id: "fc_a1_in2", status: "completed" },
        { ...input[3], id: "fco_a1_in3", status: "incomplete" },
        { ...input[4], id: "ctc_a1_in4", status: "completed" },
        { ...input[5], id: "ctco_a1_in5", status: "completed" },
        { ...input[6], status: "completed" },
      ],
    });
  });

  it("continues a conversation, with each item stored once", () => {
    const lasting = new MapStore();
    exchange(lasting, "a1", { input: "one", instructions: "Be kind." }, "two");
    exchange(lasting, "a2", { input: "three", previous_response_id: "resp_a1" }, "four");
    const { turn } = exchange(lasting, "a3", { input: "five", previous_response_id: "resp_a2" }, "six");
    expect(textsOf(turn)).toEqual(["one", "two", "three", "four", "five"]);
    expect(turn.system).toBe("");
    expect([...lasting.texts.values()].join("").split('"one"')).toHaveLength(2);
  });

  // A surrogate pair lies across every other position.
  it.each(["x", "xx"])("is found even if it is far longer than one text may be: %s...", (start) => {
    const lasting = new MapStore();
    const long = `${start}${"🦆".repeat(3 * 1024 * 1024)}`;
    exchange(lasting, "a1", { input: long }, "two");
    expect(Math.max(...[...lasting.texts.values()].map((text) => text.length))).toBeLessThan(2.1 * 1024 * 1024);
    // A part that ends in the middle of a character would be damaged on disk.
    for (const text of lasting.texts.values()) expect(Buffer.from(text).toString()).toBe(text);
    expect(JSON.stringify(new StoredResponses({ lasting }).get("resp_a1")?.input)).toContain(`"${long}"`);
    expect(new StoredResponses({ lasting }).delete("resp_a1")).toBe(true);
    expect(lasting.texts.size).toBe(0);
  });

  it.each<[string, string, (lasting: MapStore) => void]>([
    ["never existed", "resp_gone", () => {}],
    ["was not to be stored", "resp_a3", () => {}],
    ["was deleted", "resp_a2", (lasting) => new StoredResponses({ lasting }).delete("resp_a2")],
    ["lost its previous response", "resp_a2", (lasting) => new StoredResponses({ lasting }).delete("resp_a1")],
    ["has a foreign id", "resp_../../x", () => {}],
  ])("cannot be continued when it %s", (_, previous_response_id, spoil) => {
    const lasting = new MapStore();
    exchange(lasting, "a1", { input: "one" }, "two");
    exchange(lasting, "a2", { input: "three", previous_response_id: "resp_a1" }, "four");
    exchange(lasting, "a3", { input: "five", store: false }, "six");
    spoil(lasting);
    const goOn = () => exchange(lasting, "a4", { input: "x", previous_response_id }, "");
    const message = expect.stringContaining(`Previous response with id '${previous_response_id}' not found`);
    const refused = { code: "response_not_found", param: "previous_response_id", message };
    expect(goOn).toThrowError(expect.objectContaining(refused));
  });

  it("cannot end a chain that is too long", () => {
    const lasting = new MapStore();
    exchange(lasting, "a0", { input: "one" }, "two");
    const first = lasting.texts.get("resp_a0") ?? "";
    const link = (id: number, before: number) =>
      first
        .replaceAll("_a0", `_a${id}`)
        .replace('"previous_response_id":null', `"previous_response_id":"resp_a${before}"`);
    for (let id = 1; id <= 1_000; id++) lasting.texts.set(`resp_a${id}`, link(id, id - 1));
    const goOn = (id: string) => exchange(lasting, "b", { input: "x", previous_response_id: id }, "");
    expect(goOn("resp_a999").turn.messages).toHaveLength(2_001);
    const tooLong = expect.objectContaining({ code: "invalid_request", param: "previous_response_id" });
    expect(() => goOn("resp_a1000")).toThrowError(tooLong);
    lasting.texts.set("resp_a1", link(1, 1));
    expect(() => goOn("resp_a1")).toThrowError(tooLong);
  });
});

describe("an item reference", () => {
  it("is replaced by the item, of the input or the output", () => {
    const lasting = new MapStore();
    exchange(lasting, "a1", { input: "one" }, "two");
    const input = [
      { type: "item_reference", id: "msg_a1_in0" },
      { id: "msg_a1_0" },
      { type: "item_reference", id: "msg_a1_7" },
      { role: "user", content: "three" },
    ];
    const { turn } = exchange(lasting, "a2", { input }, "four");
    expect(textsOf(turn)).toEqual(["one", "two", "three"]);
    expect(turn.warnings).toEqual([expect.stringContaining("1 items")]);
    new StoredResponses({ lasting }).delete("resp_a1");
    const later = exchange(lasting, "a3", { input: "five", previous_response_id: "resp_a2" }, "");
    expect(textsOf(later.turn)).toEqual(["one", "two", "three", "four", "five"]);
  });
});

describe("a response that is not to be stored", () => {
  it("can be continued only on the same connection", () => {
    const [lasting, connection] = [new MapStore(), new MapStore()];
    exchange(lasting, "a1", { input: "one", store: false }, "two", connection);
    const next = { input: "three", store: false, previous_response_id: "resp_a1" };
    expect(textsOf(exchange(lasting, "a2", next, "", connection).turn)).toEqual(["one", "two", "three"]);
    expect(lasting.texts.size).toBe(0);
    expect(() => exchange(lasting, "a2", next, "", new MapStore())).toThrowError(GatewayError);
  });
});

it("reads a response once for all references to its items", () => {
  const lasting = new MapStore();
  exchange(lasting, "1", { input: Array.from({ length: 300 }, (_, n) => ({ role: "user", content: `${n}` })) }, "b");
  const read = vi.spyOn(lasting, "get");
  const input = Array.from({ length: 300 }, (_, n) => ({ type: "item_reference", id: `msg_1_in${299 - n}` }));
  const { turn } = parseRequest({ body: { model: "auto", input }, store: { lasting } });
  expect(textsOf(turn)).toEqual(Array.from({ length: 300 }, (_, n) => `${299 - n}`));
  expect(read.mock.calls.length).toBeLessThan(5);
});

it("limits the conversation before a request, in items too", () => {
  const lasting = new MapStore();
  const many = Array.from({ length: 20_000 }, () => ({ role: "user", content: "a" }));
  exchange(lasting, "1", { input: many }, "b");
  const next = { input: many, previous_response_id: "resp_1" };
  expect(() => exchange(lasting, "2", next, "c")).toThrow("30000 items");
});
