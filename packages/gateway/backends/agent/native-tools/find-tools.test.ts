import { fromBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { OpaqueSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { clients, clientTools } from "./client-tools.cases.js";
import { mapNativeExec } from "./map-native-exec.js";
import { execOf, nativeExecs } from "./native-execs.cases.js";
import { tool } from "./tool.cases.js";

const shellArgs = (value: object) => execOf({ case: "shellArgs", value });
const command = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const offering = (...names: string[]) => names.map((name) => ({ name, description: "", inputSchema: command }));
const chosen = (...names: string[]) => mapNativeExec(shellArgs({ command: "ls" }), offering(...names))?.name;

describe("the choice of a tool", () => {
  it.each(["BASH", "run-shell-command", "runShellCommand", "BashToolCall", "ShellTool", "Execute_Command"])(
    "knows a tool in any spelling, and with the suffixes of tool classes: %s",
    (name) => expect(chosen(name)).toBe(name),
  );

  it("strips a namespace only where it stands for the user's own machine", () => {
    expect(chosen("functions.shell")).toBe("functions.shell");
    expect(chosen("mcp__acp__Bash")).toBe("mcp__acp__Bash");
    expect(chosen("developer__shell")).toBe("developer__shell");
    expect(chosen("mcp__production-host__bash")).toBeUndefined();
  });

  it("prefers the table's order, and tools without a namespace, to the order of the offer", () => {
    expect(chosen("mcp__acp__Bash", "terminal", "shell")).toBe("shell");
    expect(chosen("mcp__acp__Bash", "terminal")).toBe("terminal");
  });

  it("tries the next candidate when the first cannot take the call", () => {
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

  it("maps the neutral workspace to the client's working folder", () => {
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

  it("makes no call for an empty exec, or one that is not a tool", () => {
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
