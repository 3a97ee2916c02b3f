import { describe, expect, it } from "vitest";
import { TimeoutBehavior } from "../../../gen/agent_v1_pb.js";
import { tool } from "./client-tools.cases.js";
import { mapNativeExec } from "./index.js";
import { execOf, nativeExecs } from "./native-execs.cases.js";

const text = { type: "string" };

/** The input of a tool with these parameters for a built-in tool, or undefined when it does not qualify. */
function inputFor(
  exec: Parameters<typeof mapNativeExec>[0],
  name: string,
  properties: Record<string, unknown>,
  required: readonly string[] = Object.keys(properties),
): unknown {
  const call = mapNativeExec(exec, [tool(name, properties, required)]);
  return call === undefined ? undefined : JSON.parse(call.input);
}

const shell = (value: object) => execOf({ case: "shellArgs", value });
const run = (properties: Record<string, unknown>, required?: readonly string[]) =>
  inputFor(shell({ command: "ls" }), "bash", properties, required);

describe("a required parameter", () => {
  it("gets a short sentence where it describes, cut for long commands", () => {
    expect(run({ command: text, explanation: text })).toEqual({ command: "ls", explanation: "Run ls" });
    const long = inputFor(shell({ command: `echo ${"x".repeat(500)}\nls` }), "bash", {
      command: text,
      description: text,
    });
    expect(Reflect.get(Object(long), "description")).toMatch(/^Run echo x{75}\.\.\.$/);
  });

  it("gets null, its default or its only value", () => {
    expect(run({ command: text, cwd: { type: ["string", "null"] } })).toEqual({ command: "ls", cwd: "." });
    expect(run({ command: text, session: { type: ["string", "null"] } })).toEqual({ command: "ls", session: null });
    expect(run({ command: text, session: { anyOf: [text, { type: "null" }] } })).toEqual({
      command: "ls",
      session: null,
    });
    expect(run({ command: text, columns: { type: "integer", default: 80 } })).toEqual({ command: "ls", columns: 80 });
    expect(run({ command: text, version: { const: 2 } })).toEqual({ command: "ls", version: 2 });
    expect(run({ command: text, version: { enum: ["v1"] } })).toEqual({ command: "ls", version: "v1" });
  });

  it("leaves the user the decision on a command", () => {
    const both = { command: text, requires_approval: { type: "boolean" }, SafeToAutoRun: { type: "boolean" } };
    expect(run(both)).toEqual({ command: "ls", requires_approval: true, SafeToAutoRun: false });
    expect(run(both, ["command"])).toEqual({ command: "ls" });
  });

  it("disqualifies the tool when nothing fits", () => {
    expect(run({ command: text, session: text })).toBeUndefined();
    expect(run({ command: text, level: { enum: ["low", "high"] } })).toBeUndefined();
    expect(run({ command: text }, ["command", "not_declared"])).toBeUndefined();
    expect(run({ command: { type: "integer" } })).toBeUndefined();
    expect(run({ command: { type: "string", maxLength: 1 } })).toBeUndefined();
    expect(run({ command: { type: "string", minLength: 3 } })).toBeUndefined();
    expect(run({ command: { enum: ["start", "stop"] } })).toBeUndefined();
    expect(run({})).toBeUndefined();
  });
});

describe("a value", () => {
  it("takes the type that the schema demands", () => {
    const read = execOf({ case: "readArgs", value: { path: "a", offset: 3, limit: 4 } });
    expect(inputFor(read, "read", { paths: { type: "array", items: text }, offset: text, limit: text })).toEqual({
      paths: ["a"],
      offset: "3",
      limit: "4",
    });
    expect(inputFor(read, "read", { path: {}, offset: { type: "integer" }, limit: { type: "integer" } })).toEqual({
      path: "a",
      offset: 3,
      limit: 4,
    });
    expect(inputFor(read, "view", { path: text, view_range: { type: "array", items: { type: "integer" } } })).toEqual({
      path: "a",
      view_range: [3, 6],
    });
  });

  it("is taken to be an argument list under a singular name, and a list of commands under a plural one", () => {
    const list = { type: "array", items: text };
    expect(run({ command: list })).toEqual({ command: ["bash", "-lc", "ls"] });
    expect(run({ commands: list })).toEqual({ commands: ["ls"] });
    expect(run({ command: { anyOf: [list, text] } })).toEqual({ command: "ls" });
    expect(run({ commands: { ...list, minItems: 2 } })).toBeUndefined();
  });

  it("stays within the limits of its parameter", () => {
    const timeout = { type: "integer", description: "in ms", minimum: 1, maximum: 5_000 };
    expect(inputFor(shell({ command: "ls", timeout: 9_000 }), "bash", { command: text, timeout })).toEqual({
      command: "ls",
      timeout: 5_000,
    });
  });

  it("is found behind references, conjunctions and alternatives", () => {
    const inputSchema = {
      allOf: [
        { $ref: "#/$defs/base" },
        { properties: { description: { $ref: "#/$defs/a~1b" } }, required: ["description"] },
      ],
      $defs: { base: { properties: { command: text }, required: ["command"] }, "a/b": text },
    };
    const call = mapNativeExec(shell({ command: "ls" }), [{ name: "bash", description: "", inputSchema }]);
    expect(JSON.parse(call?.input ?? "{}")).toEqual({ command: "ls", description: "Run ls" });
    const either = { oneOf: [{ properties: { id: text }, required: ["id"] }, { properties: { cmd: text } }] };
    expect(
      mapNativeExec(shell({ command: "ls" }), [{ name: "bash", description: "", inputSchema: either }])?.input,
    ).toBe('{"cmd":"ls"}');
  });

  it("is not looked for without end", () => {
    const inputSchema = { $ref: "#", properties: { command: { $ref: "#/properties/command" } } };
    expect(mapNativeExec(shell({ command: "ls" }), [{ name: "bash", description: "", inputSchema }])).toBeUndefined();
  });
});

describe("a working directory", () => {
  const inFolder = (command: string, workingDirectory: string) =>
    inputFor(shell({ command, workingDirectory }), "bash", { command: text });

  it("goes before the command, quoted, so that nothing runs elsewhere", () => {
    expect(inFolder("ls -l | wc", "/a b")).toEqual({ command: "cd '/a b' && ls -l | wc" });
    expect(inFolder("ls && pwd", "/it's")).toEqual({ command: "cd '/it'\\''s' && ls && pwd" });
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

  it("is told in the unit of the parameter's name, description or figures", () => {
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
    const say = (exec: Parameters<typeof mapNativeExec>[0]) =>
      inputFor(exec, "str_replace_based_edit_tool", editor, ["command", "path"]);
    expect(say(nativeExecs.readAll)).toEqual({ command: "view", path: "/repo/a.ts" });
    expect(say(nativeExecs.piWrite)).toEqual({ command: "create", path: "b.ts", file_text: "x" });
    expect(say(nativeExecs.piEdit)).toEqual({ command: "str_replace", path: "c.ts", old_str: "one", new_str: "1" });
    expect(say(nativeExecs.piEditTwo)).toBeUndefined();
    // A free text would take "view", but nothing shows that the tool knows the word.
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
