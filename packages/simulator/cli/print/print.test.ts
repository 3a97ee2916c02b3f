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

describe("print mode answers", () => {
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
});
