import type { ToolDefinition } from "../../../turn/turn.js";

/** The tools of real clients, cut down to what matters here: names, parameters, and the words that decide units. */
const text = (description = "") => ({ type: "string", ...(description !== "" && { description }) });
const number = (description = "") => ({ type: "number", ...(description !== "" && { description }) });
const flag = { type: "boolean" };

export function tool(
  name: string,
  properties: Record<string, unknown>,
  required: readonly string[],
  description = `The tool ${name}.`,
): ToolDefinition {
  return { name, description, inputSchema: { type: "object", properties, required, additionalProperties: false } };
}

const openCode = [
  tool(
    "bash",
    {
      command: text("The command to execute"),
      timeout: number("Optional timeout in milliseconds"),
      workdir: text("The working directory to run the command in"),
      description: text("What this command does in 5-10 words"),
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
      filePath: text("The absolute path to the file or directory to read"),
      offset: number("The line number to start reading from (1-indexed)"),
      limit: number("The maximum number of lines to read (defaults to 2000)"),
    },
    ["filePath"],
    "Read a file or directory from the local filesystem. If the path does not exist, an error is returned.",
  ),
  tool("skill", { name: text() }, ["name"]),
  tool("task", { description: text(), prompt: text(), subagent_type: text() }, [
    "description",
    "prompt",
    "subagent_type",
  ]),
  tool("todowrite", { todos: { type: "array", items: { type: "object" } } }, ["todos"]),
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
      timeout: number("Optional timeout in milliseconds (max 600000)"),
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
    { file_path: text(), offset: number("The line number to start reading from."), limit: number() },
    ["file_path"],
    "Reads a file from the local filesystem.\n- This tool can only read files, not directories.",
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
      cmd: text("Shell command to execute."),
      workdir: text("Optional working directory to run the command in; defaults to the turn cwd."),
      shell: text(),
      login: flag,
      tty: flag,
      yield_time_ms: number("How long to wait (in milliseconds) for output before yielding."),
      max_output_tokens: number(),
      justification: text(),
    },
    ["cmd"],
  ),
  tool("write_stdin", { session_id: number(), chars: text() }, ["session_id"]),
  tool("view_image", { path: text() }, ["path"]),
  tool("update_goal", { status: text() }, ["status"]),
];

const nullable = (type: string, description: string) => ({ type: [type, "null"], description });
const qwen = [
  tool("list_directory", { path: text(), ignore: { type: "array", items: text() } }, ["path"]),
  tool(
    "read_file",
    {
      file_path: text(),
      offset: nullable("integer", "The 0-based line number to start reading from. Requires 'limit' to be set."),
      limit: nullable("integer", "Maximum number of lines to read."),
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
      timeout: { type: "integer", minimum: 1, maximum: 600_000, description: "Optional timeout in milliseconds" },
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
  tool("Bash", { command: text(), timeout: number("Optional timeout in seconds (max 600).") }, ["command"]),
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
  tool("Checklist", { checklist: text() }, ["checklist"]),
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
    "Perform regex pattern searches across the codebase. Supports multiple parallel searches.",
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
  tool("skills", { skill: text() }, ["skill"]),
];

const pi = [
  tool("read", { path: text(), offset: number("Line number to start reading from (1-indexed)"), limit: number() }, [
    "path",
  ]),
  tool("bash", { command: text(), timeout: number("Timeout in seconds (optional, no default timeout)") }, ["command"]),
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
