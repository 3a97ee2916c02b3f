import { describe, expect, it } from "vitest";
import { type ExecServerMessage, TimeoutBehavior } from "../../../gen/agent_v1_pb.js";
import { execOf, nativeExecs } from "./native-execs.cases.js";
import { inputFor } from "./tool.cases.js";

const text = { type: "string" };

const shell = (value: object) => execOf({ case: "shellArgs", value });
describe("a working directory", () => {
  const inFolder = (command: string, workingDirectory: string) =>
    inputFor(shell({ command, workingDirectory }), "bash", { command: text });

  it("goes before the command, quoted, so that nothing runs elsewhere", () => {
    expect(inFolder("ls -l | wc", "/a b")).toEqual({ command: "cd '/a b' && ls -l | wc" });
    expect(inFolder("ls && pwd", "/it's")).toEqual({ command: "cd '/it'\\''s' && ls && pwd" });
    expect(inFolder("make 2>&1", "/a")).toEqual({ command: "cd '/a' && make 2>&1" });
    expect(inFolder("false || rm x", "/a")).toEqual({ command: "cd '/a' && {\nfalse || rm x\n}" });
    expect(inFolder("cat <<E\nx\nE", "/a")).toEqual({ command: "cd '/a' && {\ncat <<E\nx\nE\n}" });
  });

  it("is left out when it is the one in which the client works anyway", () => {
    for (const folder of ["", ".", "/workspace", "/workspace/"]) {
      expect(inFolder("ls", folder)).toEqual({ command: "ls" });
    }
    expect(inFolder("ls", "/workspace/app")).toEqual({ command: "cd '/workspace/app' && ls" });
  });
});

describe("a timeout", () => {
  const given = (timeout: object, name = "timeout") =>
    Reflect.get(
      Object(
        inputFor(shell({ command: "ls", timeout: 1_500 }), "bash", { command: text, [name]: timeout }, ["command"]),
      ),
      name,
    );

  it("is passed in the unit of the parameter's name, description or figures", () => {
    expect(given({ type: "number" }, "timeout_ms")).toBe(1_500);
    expect(given({ type: "number" }, "timeoutSeconds")).toBe(2);
    expect(given({ type: "number", description: "Timeout in milliseconds, at most ten minutes." })).toBe(1_500);
    expect(given({ type: "number", description: "Seconds to wait" })).toBe(2);
    expect(given({ type: "number", maximum: 600_000 })).toBe(1_500);
    expect(given({ type: "number", default: 120 })).toBe(2);
  });

  it("is left out when its unit is unknown", () => {
    expect(given({ type: "number", description: "Timeout." })).toBeUndefined();
  });

  it("never kills a command that was to go on in the background", () => {
    const background = { command: "ls", timeout: 1_500, timeoutBehavior: TimeoutBehavior.BACKGROUND };
    const properties = { command: text, timeout_ms: { type: "number" } };
    expect(inputFor(shell(background), "bash", properties, ["command"])).toEqual({ command: "ls" });
    expect(inputFor(shell({ ...background, hardTimeout: 9_000 }), "bash", properties, ["command"])).toEqual({
      command: "ls",
      timeout_ms: 9_000,
    });
  });
});

describe("what was asked", () => {
  it("runs in the background only where the tool has a switch for it", () => {
    const dev = shell({ command: "npm run dev", isBackground: true });
    expect(inputFor(dev, "bash", { command: text })).toBeUndefined();
    expect(inputFor(dev, "bash", { command: text, is_background: { type: "boolean" } }, ["command"])).toEqual({
      command: "npm run dev",
      is_background: true,
    });
    expect(inputFor(dev, "bash", { command: text, waitForCompletion: { type: "boolean" } }, ["command"])).toEqual({
      command: "npm run dev",
      waitForCompletion: false,
    });
  });

  it("is said to an editor with several commands in the one that does it", () => {
    const editor = {
      command: { type: "string", enum: ["view", "create", "str_replace", "insert"] },
      path: text,
      file_text: text,
      old_str: text,
      new_str: text,
    };
    const say = (exec: ExecServerMessage) => inputFor(exec, "str_replace_based_edit_tool", editor, ["command", "path"]);
    expect(say(nativeExecs.readAll)).toEqual({ command: "view", path: "/repo/a.ts" });
    expect(say(nativeExecs.piWrite)).toEqual({ command: "create", path: "b.ts", file_text: "x" });
    expect(say(nativeExecs.piEdit)).toEqual({ command: "str_replace", path: "c.ts", old_str: "one", new_str: "1" });
    expect(say(nativeExecs.piEditTwo)).toBeUndefined();
    // A free-text parameter would take "view", but nothing shows that the tool knows the word.
    expect(inputFor(nativeExecs.readAll, "view", { command: text, path: text })).toBeUndefined();
    expect(inputFor(nativeExecs.readAll, "view", { command: { enum: ["delete"] }, path: text })).toBeUndefined();
  });

  it("replaces a whole file also where the tool asks first", () => {
    const properties = { path: text, content: text, overwrite: { type: "boolean" } };
    expect(inputFor(nativeExecs.piWrite, "write_file", properties, ["path", "content"])).toEqual({
      path: "b.ts",
      content: "x",
      overwrite: true,
    });
  });

  it("is not said by halves: one replacement that does not fit disqualifies the tool", () => {
    const item = { type: "object", properties: { old_text: text, new_text: { type: "string", maxLength: 1 } } };
    const properties = { path: text, edits: { type: "array", items: item } };
    const edits = (newText: string) =>
      execOf({
        case: "piEditArgs",
        value: {
          path: "c",
          edits: [
            { oldText: "a", newText: "b" },
            { oldText: "c", newText },
          ],
        },
      });
    expect(inputFor(edits("d"), "edit", properties)).toBeDefined();
    expect(inputFor(edits("too long"), "edit", properties)).toBeUndefined();
  });

  it("is said once per replacement where each names its file", () => {
    const replacement = { type: "object", properties: { filePath: text, oldString: text, newString: text } };
    const properties = { explanation: text, replacements: { type: "array", items: replacement } };
    expect(inputFor(nativeExecs.piEditTwo, "multi_replace_string_in_file", properties)).toEqual({
      explanation: "Edit c.ts",
      replacements: [
        { filePath: "c.ts", oldString: "one", newString: "1" },
        { filePath: "c.ts", oldString: "two", newString: "2" },
      ],
    });
  });

  it("is read in full by a tool that wants a range, or none at all", () => {
    const lines = { filePath: text, startLine: { type: "number" }, endLine: { type: "number" } };
    expect(inputFor(nativeExecs.readAll, "read_file", lines)).toEqual({
      filePath: "/repo/a.ts",
      startLine: 1,
      endLine: 1_000_000,
    });
    const whole = { target_file: text, should_read_entire_file: { type: "boolean" } };
    expect(inputFor(nativeExecs.readAll, "read_file", whole)).toEqual({
      target_file: "/repo/a.ts",
      should_read_entire_file: true,
    });
    const range = {
      ...whole,
      start_line_one_indexed: { type: "integer" },
      end_line_one_indexed_inclusive: { type: "integer" },
    };
    expect(inputFor(nativeExecs.read, "read_file", range)).toEqual({
      target_file: "/repo/a.ts",
      should_read_entire_file: false,
      start_line_one_indexed: 10,
      end_line_one_indexed_inclusive: 29,
    });
    const last = execOf({ case: "readArgs", value: { path: "a", offset: -20 } });
    expect(inputFor(last, "read", { path: text, offset: { type: "integer" } }, ["path"])).toEqual({ path: "a" });
  });

  it("keeps the meaning of a search that the tool has no words for", () => {
    const grep = (value: object, properties: object) =>
      inputFor(
        execOf({ case: "grepArgs", value: { pattern: "x", ...value } }),
        "grep",
        { pattern: text, ...properties },
        ["pattern"],
      );
    expect(grep({ type: "ts" }, { include: text })).toEqual({ pattern: "x", include: "*.{cts,mts,ts,tsx}" });
    expect(grep({ type: "ts" }, { type: text })).toEqual({ pattern: "x", type: "ts" });
    expect(grep({ type: "ts", glob: "src/**" }, { include: text })).toBeUndefined();
    expect(grep({ type: "cobol" }, { include: text })).toBeUndefined();
    expect(grep({ multiline: true }, {})).toBeUndefined();
    expect(grep({ offset: 20 }, { offset: { type: "integer", description: "0-based" } })).toEqual({
      pattern: "x",
      offset: 20,
    });
    expect(grep({ glob: "", type: "", path: "" }, { glob: text, type: text, path: text })).toEqual({ pattern: "x" });
    expect(grep({ path: "/r/src" }, {})).toBeUndefined();
    expect(grep({ glob: "*.ts" }, {})).toBeUndefined();
    expect(grep({}, { isRegexp: { type: "boolean" } })).toEqual({ pattern: "x", isRegexp: true });
    expect(grep({ contextAfter: 2, contextBefore: 3 }, { context: { type: "number" } })).toEqual({
      pattern: "x",
      context: 3,
    });
    expect(grep({ context: 0, headLimit: 0, sort: "path" }, { head_limit: { type: "number" } })).toEqual({
      pattern: "x",
    });
  });

  it("never puts a flag into a literal text", () => {
    const properties = { pattern: text, literal_text: { type: "boolean" } };
    expect(inputFor(nativeExecs.piGrep, "grep", properties, ["pattern"])).toEqual({ pattern: "(?i)a\\.b\\(" });
    const sensitive = execOf({ case: "piGrepArgs", value: { pattern: "a.b(", literal: true } });
    expect(inputFor(sensitive, "grep", properties, ["pattern"])).toEqual({ pattern: "a.b(", literal_text: true });
  });

  it("is read without a limit of nothing", () => {
    const none = execOf({ case: "readArgs", value: { path: "a", limit: 0 } });
    expect(inputFor(none, "read", { path: text, limit: { type: "integer" } }, ["path"])).toEqual({ path: "a" });
  });

  it("is fetched by a tool that finds the address in its prompt", () => {
    expect(inputFor(nativeExecs.fetch, "web_fetch", { prompt: text })).toEqual({
      prompt: expect.stringMatching(/^Fetch https:\/\/example\.com\/a\. /),
    });
    expect(inputFor(nativeExecs.fetch, "web_fetch", { url: text, format: { enum: ["pdf"] } })).toBeUndefined();
    expect(inputFor(nativeExecs.fetch, "fetch_webpage", { urls: { type: "array", items: text }, query: text })).toEqual(
      {
        urls: ["https://example.com/a"],
        query: expect.stringMatching(/in full/),
      },
    );
  });
});
