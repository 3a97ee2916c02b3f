import { describe, expect, it } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { chat, user } from "../testing/clients/tool-client.js";
import { openWholeSystem, startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const system = startedEach(() => startWholeSystem());

const schema = {
  type: "object",
  properties: { ok: { type: "boolean" }, n: { type: "integer", minimum: 3 } },
  required: ["ok", "n"],
  additionalProperties: false,
};
const response_format = { type: "json_schema", json_schema: { name: "verdict", strict: true, schema } };

describe.each([{ stream: true }, { stream: false }])("an answer by a schema, stream: $stream", (form) => {
  const ask = (words: string, fields: object = {}) =>
    chat(system.url, [user(words)], { ...form, response_format, ...fields });

  it("fits", async () => {
    const reply = await ask("Is it?");
    expect(reply).toMatchObject({ text: '{"ok":true,"n":3}', finish: "stop" });
    expect(system.simulator.stats().runs).toBe(1);
  });

  it.each([
    ['```json\n{"ok":false,"n":4}\n```', '{"ok":false,"n":4}'],
    ['Sure! {"ok":false,"n":5} Anything else?', '{"ok":false,"n":5}'],
  ])("is stripped of text around it: %j", async (said, text) => {
    expect((await ask(`[[say ${said}]]`)).text).toBe(text);
  });

  it.each([
    ["[[badjson 1]] Is it?", "the JSON that begins at character 1 is not complete"],
    ['[[say {"ok":"yes","n":1}]]', "/ok must be boolean; /n must be >= 3"],
    ["[[say I would rather talk.]]", "it contains no JSON"],
  ])("is retried once after %j, with the reason, in the same conversation", async (words, fault) => {
    expect(await ask(words)).toMatchObject({ text: '{"ok":true,"n":3}', finish: "stop" });
    expect(system.simulator.stats()).toMatchObject({ runs: 2, conversations: 1 });
    const runs = system.simulator.requests(5).filter(({ path }) => path.endsWith("/Run"));
    expect(JSON.stringify(runs.at(-1)?.messages[0])).toContain(`Your last answer cannot be used: ${fault}.`);
  });

  it("that never fits is an error", async () => {
    await expect(ask("[[badjson 2]] Is it?")).rejects.toMatchObject({
      status: 502,
      code: "format_not_met",
      message: expect.stringContaining("the JSON that begins at character 1 is not complete"),
    });
    expect(system.simulator.stats().runs).toBe(2);
  });

  it("leaves a conversation that continues warm", async () => {
    const messages = [user("[[badjson 1]] Is it?")];
    const first = await chat(system.url, messages, { ...form, response_format });
    messages.push(first.message, user("And now?"));
    const second = await chat(system.url, messages, { ...form, response_format });
    expect(second).toMatchObject({ continuity: "warm", text: '{"ok":true,"n":3}' });
    messages.push(second.message, user("[[say plain words]]"));
    expect(await chat(system.url, messages, form)).toMatchObject({ continuity: "warm", text: "plain words" });
  });
});

describe("any JSON object", () => {
  const any = { response_format: { type: "json_object" } };

  it("is requested and checked", async () => {
    expect(JSON.parse((await chat(system.url, [user("Anything, in JSON.")], any)).text)).toEqual({});
    expect((await chat(system.url, [user('[[say Here: {"a":[1]}]]')], any)).text).toBe('{"a":[1]}');
    expect((await chat(system.url, [user("[[say [1] ]]")], any)).text).toBe("{}");
    expect(system.simulator.stats().runs).toBe(4);
  });
});

describe("while an answer is buffered", () => {
  it("thinking is streamed, and then comments keep the connection alive", async () => {
    const system = await openWholeSystem({}, { keepAliveMs: 1_000 });
    const response = await postJson(`${system.url}/v1/chat/completions`, {
      model: "auto",
      stream: true,
      response_format,
      messages: [user('[[think hm]] [[say {"ok":true,]] [[wait 2500]] [[say "n":3}]]')],
    });
    const raw = await response.text();
    const thought = raw.indexOf('"reasoning_content":"hm"');
    const beat = raw.indexOf(": keep-alive");
    const answer = raw.indexOf('"content":"{\\"ok\\"');
    expect(thought).toBeGreaterThan(-1);
    expect(beat).toBeGreaterThan(thought);
    expect(answer).toBeGreaterThan(beat);
    expect(raw.trimEnd().endsWith("data: [DONE]")).toBe(true);
  });
});
