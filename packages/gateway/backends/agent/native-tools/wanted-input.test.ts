import { type ExecServerMessage, TimeoutBehavior } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { execOf, nativeExecs } from "./native-execs.cases.js";
import { inputFor, offered } from "./tool.cases.js";

const texts = { type: "array", items: { type: "string" } };
const shell = (value: object) => execOf({ case: "shellArgs", value });

describe("a working directory", () => {
  const inFolder = (command: string, workingDirectory: string) =>
    inputFor(shell({ command, workingDirectory }), "bash", "command!");

  it.each([
    ["ls -l | wc", "/a b", "cd '/a b' && ls -l | wc"],
    ["ls && pwd", "/it's", "cd '/it'\\''s' && ls && pwd"],
    ["make 2>&1", "/a", "cd '/a' && make 2>&1"],
    ["false || rm x", "/a", "cd '/a' && {\nfalse || rm x\n}"],
    ["cat <<E\nx\nE", "/a", "cd '/a' && {\ncat <<E\nx\nE\n}"],
    ["ls", "/workspace/app", "cd '/workspace/app' && ls"],
  ])("goes before the command, quoted, so that nothing runs elsewhere: %j in %s", (asked, folder, command) => {
    expect(inFolder(asked, folder)).toEqual({ command });
  });

  it.each(["", ".", "/workspace", "/workspace/"])("is left out when the client works there anyway: %j", (folder) => {
    expect(inFolder("ls", folder)).toEqual({ command: "ls" });
  });
});

describe("a timeout", () => {
  it.each([
    ["timeout_ms", {}, 1_500],
    ["timeoutSeconds", {}, 2],
    ["timeout", { description: "Timeout in milliseconds, at most ten minutes." }, 1_500],
    ["timeout", { description: "Seconds to wait" }, 2],
    ["timeout", { maximum: 600_000 }, 1_500],
    ["timeout", { default: 120 }, 2],
    ["timeout", { description: "Timeout." }, undefined],
  ])("is passed in the unit of %s %o: %s", (name, schema, given) => {
    const special = { [name]: { type: "number", ...schema } };
    const input = inputFor(shell({ command: "ls", timeout: 1_500 }), "bash", `command! ${name}`, special);
    expect(input).toEqual({ command: "ls", ...(given !== undefined && { [name]: given }) });
  });

  it("never kills a command that is to continue in the background", () => {
    const background = { command: "ls", timeout: 1_500, timeoutBehavior: TimeoutBehavior.BACKGROUND };
    const run = (value: object) => inputFor(shell(value), "bash", "command! timeout_ms:number");
    expect(run(background)).toEqual({ command: "ls" });
    expect(run({ ...background, hardTimeout: 9_000 })).toEqual({ command: "ls", timeout_ms: 9_000 });
  });
});

describe("a request", () => {
  it("runs in the background only where the tool has a switch for it", () => {
    const command = "npm run dev";
    const dev = shell({ command, isBackground: true });
    expect(inputFor(dev, "bash", "command!")).toBeUndefined();
    expect(inputFor(dev, "bash", "command! is_background:boolean")).toEqual({ command, is_background: true });
    expect(inputFor(dev, "bash", "command! waitForCompletion:boolean")).toEqual({ command, waitForCompletion: false });
  });

  it("selects the right command of an editor with several", () => {
    const command = { type: "string", enum: ["view", "create", "str_replace", "insert"] };
    const parameters = "command! path! file_text old_str new_str";
    const say = (exec: ExecServerMessage) => inputFor(exec, "str_replace_based_edit_tool", parameters, { command });
    expect(say(nativeExecs.readAll)).toEqual({ command: "view", path: "/repo/a.ts" });
    expect(say(nativeExecs.piWrite)).toEqual({ command: "create", path: "b.ts", file_text: "x" });
    expect(say(nativeExecs.piEdit)).toEqual({ command: "str_replace", path: "c.ts", old_str: "one", new_str: "1" });
    expect(say(nativeExecs.piEditTwo)).toBeUndefined();
    // A free-text parameter would take "view", but nothing shows that the tool knows the word.
    expect(inputFor(nativeExecs.readAll, "view", "command! path!")).toBeUndefined();
    const deleting = { command: { enum: ["delete"] } };
    expect(inputFor(nativeExecs.readAll, "view", "command! path!", deleting)).toBeUndefined();
  });

  it("replaces a whole file also when the tool has a flag for that", () => {
    const written = inputFor(nativeExecs.piWrite, "write_file", "path! content! overwrite:boolean");
    expect(written).toEqual({ path: "b.ts", content: "x", overwrite: true });
  });

  it("is all or nothing: one replacement that does not fit disqualifies the tool", () => {
    const items = offered("", "old_text new_text", { new_text: { type: "string", maxLength: 1 } }).inputSchema;
    const replace = (newText: string) => {
      const both = [
        { oldText: "a", newText: "b" },
        { oldText: "c", newText },
      ];
      const exec = execOf({ case: "piEditArgs", value: { path: "c", edits: both } });
      return inputFor(exec, "edit", "path! edits!", { edits: { type: "array", items } });
    };
    expect(replace("d")).toBeDefined();
    expect(replace("too long")).toBeUndefined();
  });

  it("repeats the file in each replacement when each names its own", () => {
    const items = offered("", "filePath oldString newString").inputSchema;
    const special = { replacements: { type: "array", items } };
    const tool = ["multi_replace_string_in_file", "explanation! replacements!", special] as const;
    expect(inputFor(nativeExecs.piEditTwo, ...tool)).toEqual({
      explanation: "Edit c.ts",
      replacements: [
        { filePath: "c.ts", oldString: "one", newString: "1" },
        { filePath: "c.ts", oldString: "two", newString: "2" },
      ],
    });
  });

  const lines = "start_line_one_indexed!:integer end_line_one_indexed_inclusive!:integer";
  it.each([
    ["readAll", "filePath! startLine!:number endLine!:number", ["/repo/a.ts", 1, 1_000_000]],
    ["readAll", "target_file! should_read_entire_file!:boolean", ["/repo/a.ts", true]],
    ["read", `target_file! should_read_entire_file!:boolean ${lines}`, ["/repo/a.ts", false, 10, 29]],
  ] as const)("is read by a tool that requires a range or a whole-file flag: %s by %s", (kind, parameters, values) => {
    expect(Object.values(Object(inputFor(nativeExecs[kind], "read_file", parameters)))).toEqual(values);
  });

  it.each([{ offset: -20 }, { limit: 0 }])("is read whole when no tool can express the range: %o", (range) => {
    const exec = execOf({ case: "readArgs", value: { path: "a", ...range } });
    expect(inputFor(exec, "read", "path! offset:integer limit:integer")).toEqual({ path: "a" });
  });

  it.each<[object, string, object | undefined]>([
    [{ type: "ts" }, "include", { include: "*.{cts,mts,ts,tsx}" }],
    [{ type: "go" }, "include", { include: "*.go" }],
    [{ type: "ts" }, "type", { type: "ts" }],
    [{ type: "ts", glob: "src/**" }, "include", undefined],
    [{ type: "cobol" }, "include", undefined],
    [{ multiline: true }, "path", undefined],
    [{ glob: "", type: "", path: "" }, "glob type path", {}],
    [{ path: "/r/src" }, "glob", undefined],
    [{ glob: "*.ts" }, "path", undefined],
    [{}, "isRegexp:boolean", { isRegexp: true }],
    [{ contextAfter: 2, contextBefore: 3 }, "context:number", { context: 3 }],
    [{ context: 0, headLimit: 0, sort: "path" }, "head_limit:number", {}],
    [{ offset: 20 }, "offset:integer", { offset: 20 }],
  ])("keeps the meaning of a search, or disqualifies the tool: %o with %s", (value, parameters, given) => {
    const exec = execOf({ case: "grepArgs", value: { pattern: "x", ...value } });
    const input = inputFor(exec, "grep", `pattern! ${parameters}`, { offset: "0-based" });
    expect(input).toEqual(given && { pattern: "x", ...given });
  });

  it("never puts a flag into a literal pattern", () => {
    const search = (exec: ExecServerMessage) => inputFor(exec, "grep", "pattern! literal_text:boolean");
    expect(search(nativeExecs.piGrep)).toEqual({ pattern: "(?i)a\\.b\\(" });
    const sensitive = execOf({ case: "piGrepArgs", value: { pattern: "a.b(", literal: true } });
    expect(search(sensitive)).toEqual({ pattern: "a.b(", literal_text: true });
  });

  it("is fetched by a tool that takes the address in its prompt", () => {
    const { fetch } = nativeExecs;
    const prompt = expect.stringMatching(/^Fetch https:\/\/example\.com\/a\. /);
    expect(inputFor(fetch, "web_fetch", "prompt!")).toEqual({ prompt });
    expect(inputFor(fetch, "web_fetch", "url! format!", { format: { enum: ["pdf"] } })).toBeUndefined();
    expect(inputFor(fetch, "fetch_webpage", "urls! query!", { urls: texts })).toEqual({
      urls: ["https://example.com/a"],
      query: expect.stringMatching(/in full/),
    });
  });
});
