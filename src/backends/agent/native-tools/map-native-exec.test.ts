import { fromBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, it } from "vitest";
import { OpaqueSchema } from "../../../gen/agent_v1_pb.js";
import { type Client, clients, clientTools, tool } from "./client-tools.cases.js";
import { mapNativeExec } from "./index.js";
import { execOf, type NativeExec, nativeExecs } from "./native-execs.cases.js";

const wholePage = expect.stringMatching(/in full/);

/** What becomes of each built-in tool at each client; what is not listed, no tool of the client can do. */
const calls: Record<Client, Partial<Record<NativeExec, [name: string, input: object]>>> = {
  openCode: {
    shell: ["bash", { command: "npm test", timeout: 30000, workdir: "/repo/app", description: "Run npm test" }],
    shellHere: ["bash", { command: "git status", description: "Run git status" }],
    shellStream: ["bash", { command: "npm test", timeout: 30000, workdir: "/repo/app", description: "Run npm test" }],
    miniSwe: ["bash", { command: "make check", description: "Run make check" }],
    piBash: ["bash", { command: "ls -l", timeout: 20000, description: "Run ls -l" }],
    read: ["read", { filePath: "/repo/a.ts", offset: 10, limit: 20 }],
    readAll: ["read", { filePath: "/repo/a.ts" }],
    piRead: ["read", { filePath: "a.ts", offset: 5 }],
    write: ["write", { content: "x\ny\n", filePath: "/repo/b.ts" }],
    piWrite: ["write", { content: "x", filePath: "b.ts" }],
    piEdit: ["edit", { filePath: "c.ts", oldString: "one", newString: "1" }],
    ls: ["read", { filePath: "/repo/src" }],
    piLs: ["read", { filePath: ".", limit: 50 }],
    grep: ["grep", { pattern: "(?i)fo+", path: "/repo", include: "*.ts" }],
    grepHere: ["grep", { pattern: "foo" }],
    grepByName: ["glob", { pattern: "**/*.ts", path: "/repo" }],
    piGrep: ["grep", { pattern: "(?i)a\\.b\\(" }],
    piFind: ["glob", { pattern: "src/**/*.md" }],
    fetch: ["webfetch", { url: "https://example.com/a", format: "markdown" }],
  },
  claudeCode: {
    shell: ["Bash", { command: "cd '/repo/app' && npm test", timeout: 30000 }],
    shellHere: ["Bash", { command: "git status" }],
    shellStream: ["Bash", { command: "cd '/repo/app' && npm test", timeout: 30000 }],
    background: ["Bash", { command: "npm run dev", run_in_background: true }],
    miniSwe: ["Bash", { command: "make check" }],
    piBash: ["Bash", { command: "ls -l", timeout: 20000 }],
    read: ["Read", { file_path: "/repo/a.ts", offset: 10, limit: 20 }],
    readAll: ["Read", { file_path: "/repo/a.ts" }],
    piRead: ["Read", { file_path: "a.ts", offset: 5 }],
    write: ["Write", { file_path: "/repo/b.ts", content: "x\ny\n" }],
    piWrite: ["Write", { file_path: "b.ts", content: "x" }],
    piEdit: ["Edit", { file_path: "c.ts", old_string: "one", new_string: "1" }],
    grep: [
      "Grep",
      {
        pattern: "fo+",
        path: "/repo",
        glob: "*.ts",
        output_mode: "content",
        "-B": 2,
        "-n": true,
        "-i": true,
        head_limit: 10,
      },
    ],
    grepHere: ["Grep", { pattern: "foo", output_mode: "files_with_matches" }],
    grepByName: ["Glob", { pattern: "**/*.ts", path: "/repo" }],
    piGrep: ["Grep", { pattern: "a\\.b\\(", output_mode: "content", "-C": 1, "-n": true, "-i": true, head_limit: 5 }],
    piFind: ["Glob", { pattern: "src/**/*.md" }],
    fetch: ["WebFetch", { url: "https://example.com/a", prompt: wholePage }],
  },
  codex: {
    shell: ["exec_command", { cmd: "npm test", workdir: "/repo/app", yield_time_ms: 30000 }],
    shellHere: ["exec_command", { cmd: "git status" }],
    shellStream: ["exec_command", { cmd: "npm test", workdir: "/repo/app", yield_time_ms: 30000 }],
    miniSwe: ["exec_command", { cmd: "make check" }],
    piBash: ["exec_command", { cmd: "ls -l", yield_time_ms: 20000 }],
  },
  qwen: {
    shell: ["run_shell_command", { command: "npm test", is_background: false, timeout: 30000, directory: "/repo/app" }],
    shellHere: ["run_shell_command", { command: "git status", is_background: false }],
    shellStream: [
      "run_shell_command",
      { command: "npm test", is_background: false, timeout: 30000, directory: "/repo/app" },
    ],
    background: ["run_shell_command", { command: "npm run dev", is_background: true }],
    miniSwe: ["run_shell_command", { command: "make check", is_background: false }],
    piBash: ["run_shell_command", { command: "ls -l", is_background: false, timeout: 20000 }],
    read: ["read_file", { file_path: "/repo/a.ts", offset: 9, limit: 20 }],
    readAll: ["read_file", { file_path: "/repo/a.ts" }],
    piRead: ["read_file", { file_path: "a.ts", offset: 4, limit: 2000 }],
    write: ["write_file", { file_path: "/repo/b.ts", content: "x\ny\n" }],
    piWrite: ["write_file", { file_path: "b.ts", content: "x" }],
    piEdit: ["edit", { file_path: "c.ts", old_string: "one", new_string: "1" }],
    ls: ["list_directory", { path: "/repo/src", ignore: ["node_modules"] }],
    piLs: ["list_directory", { path: "." }],
    grep: ["grep_search", { pattern: "(?i)fo+", glob: "*.ts", path: "/repo", limit: 10 }],
    grepHere: ["grep_search", { pattern: "foo" }],
    grepByName: ["glob", { pattern: "**/*.ts", path: "/repo" }],
    piGrep: ["grep_search", { pattern: "(?i)a\\.b\\(", limit: 5 }],
    piFind: ["glob", { pattern: "src/**/*.md" }],
    fetch: ["web_fetch", { url: "https://example.com/a", prompt: wholePage }],
  },
  continueCli: {
    shell: ["Bash", { command: "cd '/repo/app' && npm test", timeout: 30 }],
    shellHere: ["Bash", { command: "git status" }],
    shellStream: ["Bash", { command: "cd '/repo/app' && npm test", timeout: 30 }],
    miniSwe: ["Bash", { command: "make check" }],
    piBash: ["Bash", { command: "ls -l", timeout: 20 }],
    read: ["Read", { filepath: "/repo/a.ts" }],
    readAll: ["Read", { filepath: "/repo/a.ts" }],
    piRead: ["Read", { filepath: "a.ts" }],
    write: ["Write", { filepath: "/repo/b.ts", content: "x\ny\n" }],
    piWrite: ["Write", { filepath: "b.ts", content: "x" }],
    piEdit: ["MultiEdit", { file_path: "c.ts", edits: [{ old_string: "one", new_string: "1" }] }],
    piEditTwo: [
      "MultiEdit",
      {
        file_path: "c.ts",
        edits: [
          { old_string: "one", new_string: "1" },
          { old_string: "two", new_string: "2" },
        ],
      },
    ],
    ls: ["List", { dirpath: "/repo/src" }],
    piLs: ["List", { dirpath: "." }],
    grep: ["Search", { pattern: "(?i)fo+", path: "/repo", file_pattern: "*.ts" }],
    grepHere: ["Search", { pattern: "foo" }],
    piGrep: ["Search", { pattern: "(?i)a\\.b\\(" }],
    fetch: ["Fetch", { url: "https://example.com/a" }],
  },
  cline: {
    shell: ["run_commands", { commands: ["cd '/repo/app' && npm test"] }],
    shellHere: ["run_commands", { commands: ["git status"] }],
    shellStream: ["run_commands", { commands: ["cd '/repo/app' && npm test"] }],
    miniSwe: ["run_commands", { commands: ["make check"] }],
    piBash: ["run_commands", { commands: ["ls -l"] }],
    read: ["read_files", { files: [{ path: "/repo/a.ts", start_line: 10, end_line: 29 }] }],
    readAll: ["read_files", { files: [{ path: "/repo/a.ts" }] }],
    piRead: ["read_files", { files: [{ path: "a.ts", start_line: 5 }] }],
    piEdit: ["editor", { path: "c.ts", old_text: "one", new_text: "1" }],
    grepHere: ["search_codebase", { queries: ["foo"] }],
    piGrep: ["search_codebase", { queries: ["(?i)a\\.b\\("] }],
    fetch: ["fetch_web_content", { requests: [{ url: "https://example.com/a", prompt: wholePage }] }],
  },
  pi: {
    shell: ["bash", { command: "cd '/repo/app' && npm test", timeout: 30 }],
    shellHere: ["bash", { command: "git status" }],
    shellStream: ["bash", { command: "cd '/repo/app' && npm test", timeout: 30 }],
    miniSwe: ["bash", { command: "make check" }],
    piBash: ["bash", { command: "ls -l", timeout: 20 }],
    read: ["read", { path: "/repo/a.ts", offset: 10, limit: 20 }],
    readAll: ["read", { path: "/repo/a.ts" }],
    piRead: ["read", { path: "a.ts", offset: 5 }],
    write: ["write", { path: "/repo/b.ts", content: "x\ny\n" }],
    piWrite: ["write", { path: "b.ts", content: "x" }],
    piEdit: ["edit", { path: "c.ts", oldText: "one", newText: "1" }],
    ls: ["ls", { path: "/repo/src" }],
    piLs: ["ls", { path: ".", limit: 50 }],
    grep: ["grep", { pattern: "fo+", path: "/repo", glob: "*.ts", ignoreCase: true, context: 2, limit: 10 }],
    grepHere: ["grep", { pattern: "foo" }],
    grepByName: ["find", { pattern: "**/*.ts", path: "/repo" }],
    piGrep: ["grep", { pattern: "a.b(", ignoreCase: true, literal: true, context: 1, limit: 5 }],
    piFind: ["find", { pattern: "src/**/*.md", limit: 9 }],
  },
  zed: {
    shell: ["terminal", { command: "npm test", cd: "/repo/app", timeout_ms: 30000 }],
    shellHere: ["terminal", { command: "git status", cd: "." }],
    shellStream: ["terminal", { command: "npm test", cd: "/repo/app", timeout_ms: 30000 }],
    miniSwe: ["terminal", { command: "make check", cd: "." }],
    piBash: ["terminal", { command: "ls -l", cd: ".", timeout_ms: 20000 }],
    read: ["read_file", { path: "/repo/a.ts", start_line: 10, end_line: 29 }],
    readAll: ["read_file", { path: "/repo/a.ts" }],
    piRead: ["read_file", { path: "a.ts", start_line: 5 }],
    write: [
      "edit_file",
      { display_description: "Write /repo/b.ts", path: "/repo/b.ts", mode: "write", content: "x\ny\n" },
    ],
    piWrite: ["edit_file", { display_description: "Write b.ts", path: "b.ts", mode: "write", content: "x" }],
    piEdit: [
      "edit_file",
      { display_description: "Edit c.ts", path: "c.ts", mode: "edit", edits: [{ old_text: "one", new_text: "1" }] },
    ],
    piEditTwo: [
      "edit_file",
      {
        display_description: "Edit c.ts",
        path: "c.ts",
        mode: "edit",
        edits: [
          { old_text: "one", new_text: "1" },
          { old_text: "two", new_text: "2" },
        ],
      },
    ],
    delete: ["delete_path", { path: "/repo/old.ts" }],
    ls: ["list_directory", { path: "/repo/src" }],
    piLs: ["list_directory", { path: "." }],
    grepHere: ["grep", { regex: "foo", case_sensitive: true }],
    piGrep: ["grep", { regex: "a\\.b\\(", case_sensitive: false }],
    piFind: ["find_path", { glob: "src/**/*.md" }],
    fetch: ["fetch", { url: "https://example.com/a" }],
  },
};

describe.each(clients)("with the tools of %s", (client) => {
  it.each(Object.keys(nativeExecs) as NativeExec[])("%s becomes the call that the client's schemas allow", (kind) => {
    const call = mapNativeExec(nativeExecs[kind], clientTools[client]);
    const expected = calls[client][kind];
    expect(call && [call.name, JSON.parse(call.input)]).toEqual(expected);
  });
});

const shellArgs = (value: object) => execOf({ case: "shellArgs", value });
const command = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const offering = (...names: string[]) => names.map((name) => ({ name, description: "", inputSchema: command }));
const chosen = (...names: string[]) => mapNativeExec(shellArgs({ command: "ls" }), offering(...names))?.name;

describe("the choice of a tool", () => {
  it("knows a tool in any spelling, and with the suffixes of tool classes", () => {
    for (const name of [
      "BASH",
      "run-shell-command",
      "runShellCommand",
      "BashToolCall",
      "ShellTool",
      "Execute_Command",
    ]) {
      expect(chosen(name)).toBe(name);
    }
  });

  it("strips a namespace only where it stands for the user's own machine", () => {
    expect(chosen("functions.shell")).toBe("functions.shell");
    expect(chosen("mcp__acp__Bash")).toBe("mcp__acp__Bash");
    expect(chosen("developer__shell")).toBe("developer__shell");
    expect(chosen("mcp__production-host__bash")).toBeUndefined();
  });

  it("prefers the table's order, and a tool without a namespace, wherever they stand in the offer", () => {
    expect(chosen("mcp__acp__Bash", "terminal", "shell")).toBe("shell");
    expect(chosen("mcp__acp__Bash", "terminal")).toBe("terminal");
  });

  it("goes on to the next candidate when the first cannot take the call", () => {
    const strange = tool("bash", { session: { type: "integer" }, command: { type: "string" } }, ["session", "command"]);
    expect(mapNativeExec(shellArgs({ command: "ls" }), [strange, ...offering("terminal")])?.name).toBe("terminal");
    expect(mapNativeExec(shellArgs({ command: "ls" }), [strange])).toBeUndefined();
  });

  it("takes an ambiguous name only for the tool that it means", () => {
    const grep = execOf({ case: "grepArgs", value: { pattern: "foo" } });
    const find = execOf({ case: "piFindArgs", value: { pattern: "*.ts" } });
    const text = { type: "string" };
    const byContent = tool("search_files", { path: text, regex: text, file_pattern: text }, ["path", "regex"]);
    const byName = tool("search_files", { path: text, pattern: text, excludePatterns: { type: "array" } }, ["path"]);
    expect(mapNativeExec(grep, [byContent])?.input).toBe('{"path":".","regex":"foo"}');
    expect(mapNativeExec(grep, [byName])).toBeUndefined();
    expect(mapNativeExec(find, [byName])?.input).toBe('{"path":".","pattern":"**/*.ts"}');
    expect(mapNativeExec(find, [byContent])).toBeUndefined();
    const query = { query: { type: "string" } };
    expect(mapNativeExec(find, [tool("file_search", query, ["query"], "Find files by glob.")])).toBeDefined();
    expect(mapNativeExec(find, [tool("file_search", query, ["query"], "Fast fuzzy file search.")])).toBeUndefined();
    expect(mapNativeExec(grep, [tool("search", query, ["query"], "Search the web.")])).toBeUndefined();
  });

  it("never deletes through a shell, and lists a folder neither through a shell nor through a glob", () => {
    const tools = clientTools.claudeCode;
    expect(mapNativeExec(nativeExecs.delete, tools)).toBeUndefined();
    expect(mapNativeExec(nativeExecs.ls, tools)).toBeUndefined();
    const path = { path: { type: "string" } };
    const warning = "Reads a file. Never use it for files or directories outside the project.";
    expect(mapNativeExec(nativeExecs.ls, [tool("read", path, ["path"], warning)])).toBeUndefined();
  });

  it("takes the neutral workspace for the folder in which the client works", () => {
    const here = execOf({ case: "lsArgs", value: { path: "/workspace" } });
    expect(mapNativeExec(here, clientTools.pi)?.input).toBe('{"path":"."}');
    const below = execOf({ case: "lsArgs", value: { path: "/workspace/src" } });
    expect(mapNativeExec(below, clientTools.pi)?.input).toBe('{"path":"/workspace/src"}');
  });

  it("runs a command of unnamed fields only when the first is text", () => {
    const opaque = (field: number, bytes: Uint8Array) =>
      execOf({
        case: "miniSweAgentBashArgs",
        value: fromBinary(OpaqueSchema, new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish()),
      });
    const command = new TextEncoder().encode("ls");
    expect(mapNativeExec(opaque(1, command), clientTools.pi)?.input).toBe('{"command":"ls"}');
    expect(mapNativeExec(opaque(2, command), clientTools.pi)).toBeUndefined();
    expect(mapNativeExec(opaque(1, Uint8Array.of(0x6c, 0xff)), clientTools.pi)).toBeUndefined();
  });

  it("has no call for an exec that says nothing, or that is no tool", () => {
    const all = clients.flatMap((client) => clientTools[client]);
    for (const exec of [
      execOf({ case: "shellArgs", value: { workingDirectory: "/repo" } }),
      execOf({ case: "readArgs", value: {} }),
      execOf({ case: "writeArgs", value: { fileText: "x" } }),
      execOf({ case: "deleteArgs", value: {} }),
      execOf({ case: "fetchArgs", value: {} }),
      execOf({ case: "grepArgs", value: {} }),
      execOf({ case: "grepArgs", value: { glob: "!*.ts" } }),
      execOf({ case: "piGrepArgs", value: { ignoreCase: true } }),
      execOf({ case: "piEditArgs", value: { path: "a" } }),
      execOf({ case: "miniSweAgentBashArgs", value: {} }),
      execOf({ case: "writeArgs", value: { path: "a", fileBytes: Uint8Array.of(0xff, 0xfe, 0x00) } }),
      execOf({ case: "diagnosticsArgs", value: { path: "a" } }),
      execOf({ case: "requestContextArgs", value: {} }),
    ]) {
      expect(mapNativeExec(exec, all)).toBeUndefined();
    }
    expect(mapNativeExec(nativeExecs.shell, [])).toBeUndefined();
  });
});
