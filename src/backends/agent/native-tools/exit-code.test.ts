import { describe, expect, it } from "vitest";
import { findExitCode } from "./exit-code.js";

describe("the exit code in a result", () => {
  it.each([
    ["Exit code 1\nboom", 1],
    ["exit code: 130", 130],
    ["out\n(exit_code=7)", 7],
    ["Command: x\nOutput: y\nError: (none)\nExit Code: 2\nSignal: (none)\nBackground PIDs: (none)", 2],
    ["Chunk ID: a\nWall time: 1 s\nProcess exited with code 0\nOutput:\nfine", 0],
    ["out\n\nCommand exited with code 3", 3],
    ["Command executed in terminal within working directory '/x'. Exit code: 4\nOutput:\n", 4],
    ['Command "x" failed with exit code 5.\n\n```\nout\n```', 5],
    ["Error (exit code 6): no such file", 6],
    ["out\n<exit_code>8</exit_code>", 8],
    ['{"output":"x","metadata":{"exit_code":9,"duration_seconds":0.1}}', 9],
    ['{"exitCode":10}', 10],
    ["Exit code: -1", -1],
    ["Exit code: 3221225786", -1073741510],
  ])("is found in %j", (text, code) => expect(findExitCode(text)).toBe(code));

  it.each([
    ["no code at all"],
    [""],
    ["the docs explain exit code 3 in detail"],
    ['{"not": "json"'],
    ['{"exit_code":null}'],
    ["null"],
  ])("is not found in %j", (text) => expect(findExitCode(text)).toBeUndefined());

  it("is not taken from the middle of the output, where it is the command's own word", () => {
    const filler = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
    expect(findExitCode(`${filler}\nExit code: 3\n${filler}`)).toBeUndefined();
    expect(findExitCode(`${filler}\nExit code: 3`)).toBe(3);
  });
});
