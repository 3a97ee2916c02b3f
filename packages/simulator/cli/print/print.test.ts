import { describe, expect, it } from "vitest";
import { setUpCli } from "../../../../testing/simulator/cli-process.js";

const stand = await setUpCli();
const stream = ["-p", "--trust", "--output-format", "stream-json", "--stream-partial-output"];

interface Event {
  type: string;
  subtype?: string;
  session_id?: string;
  result?: string;
  is_error?: boolean;
  usage?: object;
  tool_call?: Record<string, { result?: object }>;
  message?: { content: { text: string }[] };
}
const events = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Event);
const kinds = (stdout: string) => events(stdout).map(({ type, subtype }) => (subtype ? `${type}/${subtype}` : type));
const success = { code: 0, signal: null, stderr: "" };

describe("print mode answers", () => {
  it("in text and in one JSON object", async () => {
    const { run } = stand.machine();
    const stdin = "[[think hm]][[say Hello you.]][[usage 5 6 7 8 9]]";
    expect(await run(["-p", "--trust"], { stdin })).toEqual({ ...success, stdout: "Hello you.\n" });
    const { stdout } = await run(["-p", "--trust", "--output-format", "json"], { stdin });
    expect(stdout).toMatch(
      /^\{"type":"result","subtype":"success","is_error":false,"duration_ms":\d+,"duration_api_ms":\d+,"result":"Hello you\.","session_id":"[\w-]+","request_id":"[\w-]+","usage":\{"inputTokens":5,"outputTokens":6,"cacheReadTokens":7,"cacheWriteTokens":8\}\}\n$/,
    );
  });

  it("as a stream of events, the prompt echoed whole", async () => {
    const prompt = `${"x".repeat(1_000_000)}[[think a b]][[say One two.]]`;
    const { stdout } = await stand.machine().run(stream, { stdin: prompt });
    expect(kinds(stdout)).toEqual([
      "system/init",
      "user",
      "thinking/delta",
      "thinking/delta",
      "thinking/completed",
      "assistant",
      "assistant",
      "assistant",
      "result/success",
    ]);
    expect(events(stdout)[1]?.message?.content).toEqual([{ type: "text", text: prompt }]);
  });

  it("a prompt in its arguments, but still reads standard input to its end", async () => {
    const { stdout } = await stand.machine().run(["-p", "--trust", "[[say hi]]"], { stdin: "left unread?" });
    expect(stdout).toBe("hi\n");
    expect(stand.cli.calls().at(-1)).toMatchObject({ stdin: "left unread?" });
  });

  it("with the built-in tools that it may use, and without the others", async () => {
    const { run } = stand.machine();
    const stdin = '[[native read {"path":"a"}]] [[native shell {"command":"ls"}]]';
    const results = (stdout: string) =>
      events(stdout)
        .filter(({ subtype }) => subtype === "completed")
        .map(({ tool_call = {} }) => Object.entries(tool_call).filter(([kind]) => kind.endsWith("ToolCall")))
        .flatMap((found) => found.map(([kind, { result }]) => [kind, Object.keys(result ?? {})]));
    expect(results((await run(stream, { stdin })).stdout)).toEqual([
      ["readToolCall", ["success"]],
      ["shellToolCall", ["rejected"]],
    ]);
    expect(results((await run([...stream, "--force"], { stdin })).stdout)).toEqual([
      ["readToolCall", ["success"]],
      ["shellToolCall", ["success"]],
    ]);
    expect(results((await run([...stream, "--force", "--mode", "ask"], { stdin })).stdout)[1]).toEqual([
      "shellToolCall",
      ["rejected"],
    ]);
  });

  it("in a resumed chat", async () => {
    const { run } = stand.machine();
    const [first] = events((await run(stream, { stdin: "My name is Ada." })).stdout);
    const id = first?.session_id ?? "";
    const resumed = events((await run([...stream, "--resume", id], { stdin: "Who am I?" })).stdout);
    expect(resumed[0]?.session_id).toBe(id);
    expect(resumed.at(-1)?.result).toContain("Ada");
    const continued = events((await run([...stream, "--continue"], { stdin: "And now?" })).stdout);
    expect(continued[0]?.session_id).toBe(id);
    const other = events((await run(stream, { stdin: "Who am I?" })).stdout);
    expect(other[0]?.session_id).not.toBe(id);
    expect(other.at(-1)?.result).not.toContain("Ada");
  });
});

describe("print mode ends", () => {
  it.each([
    ["[[fail resource_exhausted]]", /^S: \[resource_exhausted\] Error\n$/],
    ["[[say so far]] [[fail unavailable]]", /^T: \[unavailable\] Error\n$/],
    ["[[fail internal ERROR_TIMEOUT]]", /^RetriableError: \[internal\] ERROR_TIMEOUT\n$/],
    [
      "[[fail resource_exhausted ERROR_PRO_USER_USAGE_LIMIT]]",
      /^ActionRequiredError: You've hit your usage limit .* Switch to a different model or set a Spend Limit .* Your usage limits will reset when your monthly cycle ends on \d+\/\d+\/\d{4}\.\n$/,
    ],
  ])("at %s without a result", async (stdin, stderr) => {
    const finished = await stand.machine().run(stream, { stdin });
    expect(finished).toMatchObject({ code: 1, stderr: expect.stringMatching(stderr) });
    expect(kinds(finished.stdout)).not.toContain("result/success");
    expect(kinds(finished.stdout)[0]).toBe("system/init");
  });
});
