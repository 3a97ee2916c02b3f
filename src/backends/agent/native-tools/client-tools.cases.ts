import { tool } from "./tool.cases.js";

/** The tools of real clients, reduced to what matters here: names, parameters, and the words that decide units. */
const text = (description = "") => ({ type: "string", ...(description !== "" && { description }) });
const number = (description = "") => ({ type: "number", ...(description !== "" && { description }) });
const flag = { type: "boolean" };

const openCode = [
  tool(
    "bash",
    {
      command: text(),
      timeout: number("Limit in milliseconds"),
      workdir: text(),
      description: text("A few words for the user"),
    },
    ["command", "description"],
  ),
  tool("edit", { filePath: text(), oldString: text(), newString: text(), replaceAll: flag }, [
    "filePath",
    "oldString",
    "newString",
  ]),
  tool("glob", { pattern: text(), path: text() }, ["pattern"]),
  tool("grep", { pattern: text(), path: text(), include: text() }, ["pattern"]),
  tool(
    "read",
    {
      filePath: text("Path of a file or directory"),
      offset: number("First line, 1-indexed"),
      limit: number(),
    },
    ["filePath"],
    "Shows a file or directory. A missing path is an error.",
  ),
  tool(
    "webfetch",
    { url: text(), format: { type: "string", enum: ["text", "markdown", "html"] }, timeout: number("in seconds") },
    ["url", "format"],
  ),
  tool("write", { content: text(), filePath: text() }, ["content", "filePath"]),
];

const claudeCode = [
  tool("Task", { description: text(), prompt: text() }, ["description", "prompt"]),
  tool(
    "Bash",
    {
      command: text(),
      timeout: number("Limit in milliseconds, 600000 at most"),
      description: text(),
      run_in_background: flag,
      dangerouslyDisableSandbox: flag,
    },
    ["command"],
  ),
  tool("Glob", { pattern: text(), path: text() }, ["pattern"]),
  tool(
    "Grep",
    {
      pattern: text(),
      path: text(),
      glob: text(),
      output_mode: { type: "string", enum: ["content", "files_with_matches", "count"] },
      "-B": number(),
      "-A": number(),
      "-C": number(),
      "-n": flag,
      "-i": flag,
      type: text(),
      head_limit: number(),
      offset: number(),
      multiline: flag,
    },
    ["pattern"],
  ),
  tool(
    "Read",
    { file_path: text(), offset: number("First line"), limit: number() },
    ["file_path"],
    "Reads files.\nIt is for files only, and not for directories.",
  ),
  tool(
    "Edit",
    { file_path: text(), old_string: text(), new_string: text(), replace_all: { ...flag, default: false } },
    ["file_path", "old_string", "new_string"],
  ),
  tool("Write", { file_path: text(), content: text() }, ["file_path", "content"]),
  tool("WebFetch", { url: { type: "string", format: "uri" }, prompt: text() }, ["url", "prompt"]),
  tool("WebSearch", { query: { type: "string", minLength: 2 } }, ["query"]),
];

const codex = [
  tool(
    "exec_command",
    {
      cmd: text(),
      workdir: text(),
      shell: text(),
      login: flag,
      tty: flag,
      yield_time_ms: number("Wait for output, in milliseconds"),
      max_output_tokens: number(),
      justification: text(),
    },
    ["cmd"],
  ),
  tool("write_stdin", { session_id: number(), chars: text() }, ["session_id"]),
];

const nullable = (type: string, description: string) => ({ type: [type, "null"], description });
const qwen = [
  tool("list_directory", { path: text(), ignore: { type: "array", items: text() } }, ["path"]),
  tool(
    "read_file",
    {
      file_path: text(),
      offset: nullable("integer", "First line, 0-based. Requires 'limit'."),
      limit: nullable("integer", "Lines at most"),
    },
    ["file_path"],
  ),
  tool("grep_search", { pattern: text(), glob: text(), path: text(), limit: { type: "integer", minimum: 1 } }, [
    "pattern",
  ]),
  tool("glob", { pattern: text(), path: text() }, ["pattern"]),
  tool("edit", { file_path: text(), old_string: text(), new_string: text(), replace_all: flag }, [
    "file_path",
    "old_string",
    "new_string",
  ]),
  tool("write_file", { file_path: text(), content: text() }, ["file_path", "content"]),
  tool("web_fetch", { url: text(), prompt: text() }, ["url", "prompt"]),
  tool(
    "run_shell_command",
    {
      command: text(),
      is_background: flag,
      timeout: { type: "integer", minimum: 1, maximum: 600_000, description: "Limit in milliseconds" },
      description: text(),
      directory: text(),
    },
    ["command", "is_background"],
  ),
];

const continueCli = [
  tool("Read", { filepath: text() }, ["filepath"]),
  tool("Write", { filepath: text(), content: text() }, ["filepath", "content"]),
  tool("List", { dirpath: text() }, ["dirpath"]),
  tool("Search", { pattern: text(), path: text(), file_pattern: text() }, ["pattern"]),
  tool("Bash", { command: text(), timeout: number("Limit in seconds, 600 at most") }, ["command"]),
  tool("Fetch", { url: text() }, ["url"]),
  tool(
    "MultiEdit",
    {
      file_path: text(),
      edits: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: { old_string: text(), new_string: text(), replace_all: flag },
          required: ["old_string", "new_string"],
        },
      },
    },
    ["file_path", "edits"],
  ),
];

const line = { anyOf: [{ type: "integer", exclusiveMinimum: 0 }, { type: "null" }] };
const cline = [
  tool(
    "read_files",
    {
      files: {
        type: "array",
        items: {
          type: "object",
          properties: { path: text(), start_line: line, end_line: line },
          required: ["path"],
          additionalProperties: false,
        },
      },
    },
    ["files"],
  ),
  tool(
    "search_codebase",
    { queries: { type: "array", items: text() } },
    ["queries"],
    "Finds each regex in the project. Several may be given.",
  ),
  tool(
    "run_commands",
    {
      commands: {
        type: "array",
        items: {
          anyOf: [
            { type: "string" },
            {
              type: "object",
              properties: { command: text(), args: { type: "array", items: text() } },
              required: ["command"],
            },
          ],
        },
      },
    },
    ["commands"],
  ),
  tool(
    "fetch_web_content",
    {
      requests: {
        type: "array",
        items: {
          type: "object",
          properties: { url: text(), prompt: { type: "string", minLength: 2 } },
          required: ["url", "prompt"],
        },
      },
    },
    ["requests"],
  ),
  tool(
    "editor",
    { path: text(), old_text: { anyOf: [text(), { type: "null" }] }, new_text: text(), insert_line: line },
    ["path", "new_text"],
  ),
];

const pi = [
  tool("read", { path: text(), offset: number("First line, 1-indexed"), limit: number() }, ["path"]),
  tool("bash", { command: text(), timeout: number("Limit in seconds") }, ["command"]),
  tool("edit", { path: text(), oldText: text(), newText: text() }, ["path", "oldText", "newText"]),
  tool("write", { path: text(), content: text() }, ["path", "content"]),
  tool(
    "grep",
    {
      pattern: text(),
      path: text(),
      glob: text(),
      ignoreCase: flag,
      literal: flag,
      context: number(),
      limit: number(),
    },
    ["pattern"],
  ),
  tool("find", { pattern: text(), path: text(), limit: number() }, ["pattern"]),
  tool("ls", { path: text(), limit: number() }, []),
];

const zedEdit = tool(
  "edit_file",
  {
    display_description: text(),
    path: text(),
    mode: { $ref: "#/$defs/EditFileMode" },
    edits: {
      anyOf: [
        {
          type: "array",
          items: {
            type: "object",
            properties: { old_text: text(), new_text: text() },
            required: ["old_text", "new_text"],
          },
        },
        { type: "null" },
      ],
    },
    content: { type: ["string", "null"] },
  },
  ["display_description", "path", "mode"],
);
const zed = [
  tool("delete_path", { path: text() }, ["path"]),
  {
    ...zedEdit,
    inputSchema: { ...zedEdit.inputSchema, $defs: { EditFileMode: { type: "string", enum: ["edit", "write"] } } },
  },
  tool("fetch", { url: text() }, ["url"]),
  tool("find_path", { glob: text(), offset: number() }, ["glob"]),
  tool("grep", { regex: text(), include_pattern: text(), offset: number(), case_sensitive: flag }, ["regex"]),
  tool("list_directory", { path: text() }, ["path"]),
  tool(
    "read_file",
    { path: text(), start_line: { type: ["integer", "null"] }, end_line: { type: ["integer", "null"] } },
    ["path"],
  ),
  tool("terminal", { command: text(), cd: text(), timeout_ms: number() }, ["command", "cd"]),
];

export const clientTools = { openCode, claudeCode, codex, qwen, continueCli, cline, pi, zed };
export type Client = keyof typeof clientTools;
export const clients = Object.keys(clientTools) as Client[];
