import { describe, expect, it } from "vitest";
import { parseFlags } from "./flags.js";
import { rootFlags } from "./root-flags.js";

const parse = (...args: string[]) => parseFlags(args, rootFlags, (word) => word === "acp");

describe("the flags of the command", () => {
  it("take values behind a space or an equals sign, the last one winning", () => {
    const { options, positionals } = parse("-p", "--model", "a", "--model=b=c", "-H", "X: 1", "say", "hi");
    expect(Object.fromEntries(options)).toEqual({ "--print": true, "--model": "b=c", "--header": "X: 1" });
    expect(positionals).toEqual(["say", "hi"]);
  });

  it("stop at a command", () => {
    expect(parse("--force", "acp", "--model", "x")).toMatchObject({
      positionals: ["acp"],
      rest: ["--model", "x"],
    });
  });

  it("may leave out the chat to resume", () => {
    expect(parse("--resume", "-p").options.get("--resume")).toBe(true);
    expect(parse("--resume", "id-1").options.get("--resume")).toBe("id-1");
  });

  it.each([
    [["--nope"], "error: unknown option '--nope'"],
    [["--model"], "error: option '--model <model>' argument missing"],
    [["--mode", "agent"], "error: option '--mode <mode>' argument 'agent' is invalid. Allowed choices are plan, ask."],
    [
      ["--output-format", "xml"],
      "error: option '--output-format <format>' argument 'xml' is invalid. Allowed choices are text, json, stream-json.",
    ],
  ])("refuse %j", (args, message) => {
    expect(() => parse(...args)).toThrow(message);
  });
});
