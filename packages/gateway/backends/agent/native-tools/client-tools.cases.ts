import { offered } from "./tool.cases.js";

/** The tools of real clients, reduced to what matters here: names, parameters, and the words that decide units. */
const openCode = [
  offered("bash", "command! timeout:number workdir description!", {
    timeout: "Limit in milliseconds",
    description: "A few words for the user",
  }),
  offered("edit", "filePath! oldString! newString! replaceAll:boolean"),
  offered("glob", "pattern! path"),
  offered("grep", "pattern! path include"),
  offered(
    "read",
    "filePath! offset:number limit:number",
    { filePath: "Path of a file or directory", offset: "First line, 1-indexed" },
    "Shows a file or directory. A missing path is an error.",
  ),
  offered("webfetch", "url! format! timeout:number", {
    format: { type: "string", enum: ["text", "markdown", "html"] },
    timeout: "in seconds",
  }),
  offered("write", "content! filePath!"),
];

const claudeCode = [
  offered("Task", "description! prompt!"),
  offered("Bash", "command! timeout:number description run_in_background:boolean dangerouslyDisableSandbox:boolean", {
    timeout: "Limit in milliseconds, 600000 at most",
  }),
  offered("Glob", "pattern! path"),
  offered(
    "Grep",
    "pattern! path glob output_mode -B:number -A:number -C:number -n:boolean -i:boolean type head_limit:number " +
      "offset:number multiline:boolean",
    { output_mode: { type: "string", enum: ["content", "files_with_matches", "count"] } },
  ),
  offered(
    "Read",
    "file_path! offset:number limit:number",
    { offset: "First line" },
    "Reads files.\nIt is for files only, and not for directories.",
  ),
  offered("Edit", "file_path! old_string! new_string! replace_all", {
    replace_all: { type: "boolean", default: false },
  }),
  offered("Write", "file_path! content!"),
  offered("WebFetch", "url! prompt!", { url: { type: "string", format: "uri" } }),
  offered("WebSearch", "query!", { query: { type: "string", minLength: 2 } }),
];

const codex = [
  offered(
    "exec_command",
    "cmd! workdir shell login:boolean tty:boolean yield_time_ms:number max_output_tokens:number justification",
    { yield_time_ms: "Wait for output, in milliseconds" },
  ),
  offered("write_stdin", "session_id!:number chars"),
];

const texts = { type: "array", items: { type: "string" } };
const qwen = [
  offered("list_directory", "path! ignore", { ignore: texts }),
  offered("read_file", "file_path! offset limit", {
    offset: { type: ["integer", "null"], description: "First line, 0-based. Requires 'limit'." },
    limit: { type: ["integer", "null"], description: "Lines at most" },
  }),
  offered("grep_search", "pattern! glob path limit", { limit: { type: "integer", minimum: 1 } }),
  offered("glob", "pattern! path"),
  offered("edit", "file_path! old_string! new_string! replace_all:boolean"),
  offered("write_file", "file_path! content!"),
  offered("web_fetch", "url! prompt!"),
  offered("run_shell_command", "command! is_background!:boolean timeout description directory", {
    timeout: { type: "integer", minimum: 1, maximum: 600_000, description: "Limit in milliseconds" },
  }),
];

/** A parameter that is a list of objects. */
const listOf = (parameters: string, special?: Readonly<Record<string, object>>) => {
  const { additionalProperties: _, ...items } = offered("", parameters, special).inputSchema;
  return { type: "array", items };
};
const continueCli = [
  offered("Read", "filepath!"),
  offered("Write", "filepath! content!"),
  offered("List", "dirpath!"),
  offered("Search", "pattern! path file_pattern"),
  offered("Bash", "command! timeout:number", { timeout: "Limit in seconds, 600 at most" }),
  offered("Fetch", "url!"),
  offered("MultiEdit", "file_path! edits!", {
    edits: { ...listOf("old_string! new_string! replace_all:boolean"), minItems: 1 },
  }),
];

const line = { anyOf: [{ type: "integer", exclusiveMinimum: 0 }, { type: "null" }] };
const command = { type: "object", properties: { command: { type: "string" }, args: texts }, required: ["command"] };
const files = listOf("path! start_line end_line", { start_line: line, end_line: line });
const cline = [
  offered("read_files", "files!", { files: { ...files, items: { ...files.items, additionalProperties: false } } }),
  offered("search_codebase", "queries!", { queries: texts }, "Finds each regex in the project. Several may be given."),
  offered("run_commands", "commands!", {
    commands: { type: "array", items: { anyOf: [{ type: "string" }, command] } },
  }),
  offered("fetch_web_content", "requests!", {
    requests: listOf("url! prompt!", { prompt: { type: "string", minLength: 2 } }),
  }),
  offered("editor", "path! old_text new_text! insert_line", {
    old_text: { anyOf: [{ type: "string" }, { type: "null" }] },
    insert_line: line,
  }),
];

const pi = [
  offered("read", "path! offset:number limit:number", { offset: "First line, 1-indexed" }),
  offered("bash", "command! timeout:number", { timeout: "Limit in seconds" }),
  offered("edit", "path! oldText! newText!"),
  offered("write", "path! content!"),
  offered("grep", "pattern! path glob ignoreCase:boolean literal:boolean context:number limit:number"),
  offered("find", "pattern! path limit:number"),
  offered("ls", "path limit:number"),
];

const zedEdit = offered("edit_file", "display_description! path! mode! edits content", {
  mode: { $ref: "#/$defs/EditFileMode" },
  edits: { anyOf: [listOf("old_text! new_text!"), { type: "null" }] },
  content: { type: ["string", "null"] },
});
const orNull = { type: ["integer", "null"] };
const zed = [
  offered("delete_path", "path!"),
  {
    ...zedEdit,
    inputSchema: { ...zedEdit.inputSchema, $defs: { EditFileMode: { type: "string", enum: ["edit", "write"] } } },
  },
  offered("fetch", "url!"),
  offered("find_path", "glob! offset:number"),
  offered("grep", "regex! include_pattern offset:number case_sensitive:boolean"),
  offered("list_directory", "path!"),
  offered("read_file", "path! start_line end_line", { start_line: orNull, end_line: orNull }),
  offered("terminal", "command! cd! timeout_ms:number"),
];

export const clientTools = { openCode, claudeCode, codex, qwen, continueCli, cline, pi, zed };
export type Client = keyof typeof clientTools;
export const clients = Object.keys(clientTools) as Client[];
