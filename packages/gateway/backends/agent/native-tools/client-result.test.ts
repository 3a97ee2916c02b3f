import { describe, expect, it } from "vitest";
import type { SentResult } from "../../../turn/blocks.js";
import { findExitCode, readResult } from "./client-result.js";

const read = (content: SentResult["content"], isError = false) => readResult({ callId: "1", content, isError }, "read");
const text = (value: string) => ({ type: "text" as const, text: value });
const image = (data: Uint8Array) => ({ type: "image" as const, mimeType: "image/png", data });

describe("a client's answer", () => {
  it("is all of its text", () => {
    expect(read([text("a"), text("b")])).toEqual({ text: "a\nb", image: undefined, isError: false, words: "" });
    expect(read([])).toEqual({ text: "", image: undefined, isError: false, words: "" });
  });

  it("is an image when it has only one, with at most a caption", () => {
    const data = Uint8Array.of(1, 2);
    expect(read([text("A picture."), image(data)]).image).toBe(data);
    expect(read([text("x".repeat(201)), image(data)]).image).toBeUndefined();
    expect(read([image(data), image(data)]).image).toBeUndefined();
    expect(read([text("broken"), image(data)], true).image).toBeUndefined();
  });

  it("mentions pictures that cannot be passed on", () => {
    expect(read([text("page 1"), image(Uint8Array.of(1)), text("page 2")]).text).toBe(
      "page 1\n[image/png, 1 bytes: a picture that cannot be passed on here]\npage 2",
    );
  });

  it.each([
    ['[{"query":"a.ts","result":"x\\ny","success":true}]', "x\ny", false],
    ['[{"query":"a","result":"","error":"Command failed: 1","success":false}]', "Command failed: 1", true],
    ['[{"query":"a","result":"No results found","success":false}]', "No results found", false],
    ['[{"query":"a","result":"","success":false}]', "The tool read failed and did not say why.", true],
  ])("is taken out of a list of one operation: %s", (list, words, isError) => {
    expect(read([text(list)])).toMatchObject({ text: words, isError });
  });

  it.each([
    '[{"query":"a","result":"x","success":true},{"query":"b","result":"y","success":true}]',
    '[{"result":"x","success":true,"duration":3}]',
    '[{"result":3,"success":true}]',
    '[{"result":"x"}]',
    "[{ not json",
  ])("is left as it is for any other list: %s", (list) => {
    expect(read([text(list)])).toMatchObject({ text: list, isError: false });
  });
});

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

  it("is not taken from the middle of the command's own output", () => {
    const filler = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
    expect(findExitCode(`${filler}\nExit code: 3\n${filler}`)).toBeUndefined();
    expect(findExitCode(`${filler}\nExit code: 3`)).toBe(3);
  });
});
