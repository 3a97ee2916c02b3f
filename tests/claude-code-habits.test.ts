import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ask, type Block, type Message, result } from "../testing/clients/messages-client.js";
import { postJson } from "../testing/clients/post-json.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const system = startedEach(() => startWholeSystem());

const text = (words: string): Block => ({ type: "text", text: words });
const marked = (block: Block): Block => ({ ...block, cache_control: { type: "ephemeral" } });
const user = (...content: Block[]): Message => ({ role: "user", content });
const reminder = (words: string) => text(`<system-reminder>\n${words}\n</system-reminder>\n`);

const tools = ["Bash", "Read", "Edit"].map((name) => ({
  name,
  description: `The tool ${name}.`,
  input_schema: { type: "object", properties: { command: { type: "string" } } },
}));
/** The fields of every request. The first system block changes with each. */
const habits = () => ({
  system: [
    text(`x-anthropic-billing-header: cc_version=2.1.9; cch=${randomUUID()};`),
    marked(text("You are Claude Code.")),
    marked(text("Be concise.")),
  ],
  tools: [...tools, { name: "Later", description: "", input_schema: { type: "object" }, defer_loading: true }],
  metadata: { user_id: '{"device_id":"d","account_uuid":"","session_id":"s"}' },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  thinking: { type: "adaptive", display: "omitted" },
  output_config: { effort: "high" },
});

const prompt = '[[think hm]] [[call Bash {"command":"ls"}]] [[call Read {}]] then [[call Edit {}]] then [[say Done.]]';

describe("a conversation of Claude Code", () => {
  it("is one run per user message, and every reply but the first is warm", async () => {
    const opening = user(reminder("As you answer, you can use this context."), marked(text(prompt)));
    const first = await ask(system.url, [opening], habits());
    expect(first).toMatchObject({ continuity: "cold:new", stop: "tool_use" });
    expect(first.content.map(({ type }) => type)).toEqual(["thinking", "tool_use", "tool_use"]);
    expect(first.content[0]).toMatchObject({ thinking: "", signature: expect.stringMatching(/./) });

    // The cache marks move, and a reminder follows the results.
    const plainOpening = user(reminder("As you answer, you can use this context."), text(prompt));
    const answer: Message = { role: "assistant", content: first.content };
    const results = user(
      result(first.uses[0], "a.txt"),
      marked(result(first.uses[1], [text("the content")])),
      reminder("The file was changed by a linter."),
    );
    const history: Message[] = [plainOpening, answer, results];
    const second = await ask(system.url, history, habits());
    expect(second).toMatchObject({ continuity: "warm", stop: "tool_use" });
    expect(second.text).toContain("a.txt");
    expect(second.text).toContain("changed by a linter");

    // For other models, the reminder is a system message.
    history.push(
      { role: "assistant", content: second.content },
      user({ ...result(second.uses[0], "ok"), is_error: true }),
      {
        role: "system",
        content: "The user has queued a message.",
      },
    );
    const third = await ask(system.url, history, habits());
    expect(third).toMatchObject({ continuity: "warm", stop: "end_turn" });
    expect(third.text).toContain("queued a message");
    expect(third.text).toContain("Done.");
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAbandoned: 0 });

    // Between turns, a single block becomes a string and vice versa.
    history.push({ role: "assistant", content: third.text }, { role: "user", content: "[[say And more.]]" });
    const fourth = await ask(system.url, history, habits());
    expect(fourth).toMatchObject({ continuity: "warm", text: "And more." });
    history.splice(-2, 2, { role: "assistant", content: [text(third.text)] }, user(marked(text("[[say And more.]]"))));
    history.push({ role: "assistant", content: [marked(text(fourth.text))] }, user(text("[[say Enough.]]")));
    const fifth = await ask(system.url, history, habits());
    expect(fifth).toMatchObject({ continuity: "warm", text: "Enough." });
    expect(system.simulator.stats()).toMatchObject({ runs: 3, conversations: 1, runsOpen: 0 });
  });

  it.each([
    ["are all offered from the start", tools, { runs: 1, continuity: "warm" }],
    ["grow by the one that was loaded", undefined, { runs: 2, continuity: "warm:settings-changed" }],
  ])("keeps its task when its tool search adds words, and its tools %s", async (_, always, { runs, continuity }) => {
    const deferred = { name: "Later", description: "", input_schema: { type: "object" }, defer_loading: true };
    const offered = { ...habits(), tools: always ?? [...tools, deferred] };
    const search = always === undefined ? "Later" : "Edit";
    const opening = user(text(`[[call Read {}]] then [[call ${search} {}]] then [[say Loaded and used.]]`));
    const first = await ask(system.url, [opening], offered);
    const history: Message[] = [
      opening,
      { role: "assistant", content: first.content },
      user(result(first.uses[0], [{ type: "tool_reference", tool_name: search }]), text("Tool loaded.")),
      { role: "system", content: "<total_tokens>14988383 tokens left</total_tokens>" },
    ];
    const second = await ask(system.url, history, offered);
    expect(second).toMatchObject({ continuity, uses: [{ name: search }] });
    history.push({ role: "assistant", content: second.content }, user(result(second.uses[0], "used")));
    const third = await ask(system.url, history, offered);
    expect(third).toMatchObject({ continuity: "warm", text: expect.stringContaining("Loaded and used.") });
    expect(system.simulator.stats().runs).toBe(runs);
  });

  it("is also answered when it repeats a request without streaming", async () => {
    const opening = user(text(prompt));
    const first = await ask(system.url, [opening], habits());
    const history = [opening, { role: "assistant" as const, content: first.content }];
    const response = await postJson(`${system.url}/v1/messages?beta=true`, {
      model: "auto",
      max_tokens: 32_000,
      messages: [...history, user(result(first.uses[0], "a"), result(first.uses[1], "b"))],
      ...habits(),
    });
    expect(await response.json()).toMatchObject({
      stop_reason: "tool_use",
      content: [{}, { name: "Edit", input: {} }],
    });
    expect(response.headers.get("x-curlew-continuity")).toBe("warm");
    expect(response.headers.get("x-curlew-usage")).toBe("estimated");
  });
});
