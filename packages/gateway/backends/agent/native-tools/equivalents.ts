const editors = words("str_replace_based_edit_tool str_replace_editor text_editor");
const files = words(
  "file_path path absolute_path absolute_file_path target_file file filename relative_path paths file_paths files",
);
const folders = words(
  "path dir_path directory directory_path dir folder folder_path target_directory search_directory search_path",
  "relative_workspace_path absolute_path paths",
);
const limits = words("limit head_limit max_results max_matches total_max_matches max_entries");
const operations = words("command mode operation action");

/** Equivalent tools in real clients and the names of their parameters, in any spelling (case, `_`, `-`), preferred ones first. */
export const roles = {
  shell: {
    names: words(
      "bash shell exec_command shell_command run_shell_command execute_shell_command run_commands run_command",
      "execute_command execute_bash run_bash bash_command run_terminal_cmd run_terminal_command run_in_terminal terminal",
      "exec local_shell launch_process start_process",
    ),
    parameters: {
      command: words("command cmd script command_line commands bash_command shell_command"),
      folder: words("workdir working_directory working_dir cwd directory dir_path cd dir"),
      timeoutMs: words("timeout timeout_ms timeout_millis timeout_seconds timeout_secs timeout_sec max_wait_seconds"),
      /** How long the tool waits before the command continues in the background; not a limit on its run time. */
      patienceMs: words("yield_time_ms"),
      isBackground: words("run_in_background is_background background"),
      isBlocking: words("wait_for_completion blocking wait"),
      needsApproval: words("requires_approval"),
      runsUnasked: words("safe_to_auto_run auto_run"),
    },
  },
  read: {
    names: [
      ...words("read read_file read_text_file view view_file read_files read_many_files file_read cat"),
      { name: "open_file", neverSays: /\b(?:editor|browser|window|tab)\b/i },
      ...editors,
    ],
    parameters: {
      path: files,
      offset: words("offset"),
      /** Some tools use an offset only together with a limit, and say so. */
      offsetWithLimit: words("offset"),
      limit: words("limit max_lines line_count num_lines"),
      startLine: words("start_line line_start start_line_one_indexed from_line"),
      endLine: words("end_line line_end end_line_one_indexed_inclusive to_line"),
      viewRange: words("view_range line_range"),
      isWholeFile: words("should_read_entire_file read_entire_file"),
      operation: operations,
    },
    bundles: words("files reads requests targets"),
  },
  write: {
    names: [
      ...words(
        "write write_file write_to_file create_file create_new_file write_text_file file_write save_file edit_file",
      ),
      ...editors,
    ],
    parameters: {
      path: files,
      content: words("content contents file_text text file_content body"),
      lineCount: words("line_count"),
      isOverwrite: words("overwrite allow_overwrite"),
      operation: operations,
    },
    bundles: words("files writes"),
  },
  edit: {
    names: [
      ...words("edit replace str_replace edit_file replace_in_file search_replace search_and_replace file_edit editor"),
      ...words("replace_string_in_file single_find_and_replace multi_edit multi_replace_string_in_file edit_block"),
      ...editors,
    ],
    parameters: {
      path: files,
      oldText: words("old_string old_text old_str old search find search_text old_content"),
      newText: words("new_string new_text new_str new replace replacement replace_text new_content"),
      isReplaceAll: words("replace_all allow_multiple multiple"),
      occurrences: words("expected_replacements expected_occurrences"),
      operation: operations,
    },
    bundles: words("edits replacements changes operations"),
  },
  delete: {
    names: words("delete_file delete_path remove_file remove_path file_delete delete remove"),
    parameters: { path: files, isRecursive: words("recursive") },
  },
  list: {
    names: [
      ...words("list ls list_directory list_dir list_files list_folder read_directory view_directory"),
      // A shell needs a permission of the user, so it lists only where it also reads (shell-commands.ts). A glob hides empty folders.
      // A read tool whose description says that it reads folders is one.
      ...words("read read_file view").map((name) => ({ name, says: /\bfiles? (?:or|and) (?:director|folder)/i })),
    ],
    parameters: {
      path: [...folders, ...words("file_path")],
      ignore: words("ignore ignore_patterns exclude_patterns exclude"),
      limit: limits,
      isRecursive: words("recursive"),
      depth: words("depth max_depth"),
      operation: operations,
    },
  },
  grep: {
    names: [
      ...words("grep search_file_content grep_search ripgrep rg find_in_files"),
      { name: "search_files", has: "regex" },
      { name: "search", has: "pattern" },
      { name: "search", has: "regex" },
      { name: "search_codebase", says: /\bregex|\bregular expression/i },
    ],
    parameters: {
      pattern: words("pattern regex regexp query queries search_pattern"),
      path: folders,
      glob: words("glob include include_pattern file_pattern include_glob globs includes"),
      outputMode: words("output_mode"),
      contextBefore: words("-B context_before before_context before"),
      contextAfter: words("-A context_after after_context after"),
      context: words("-C context context_lines"),
      isCaseInsensitive: words("-i ignore_case case_insensitive"),
      isCaseSensitive: words("case_sensitive match_case"),
      hasLineNumbers: words("-n line_numbers show_line_numbers"),
      fileType: words("type file_type"),
      limit: limits,
      skip: words("offset skip"),
      isMultiline: words("multiline"),
      isRegex: words("is_regexp is_regex use_regex regex"),
      isLiteral: words("literal literal_text fixed_strings is_literal"),
    },
  },
  glob: {
    names: [
      ...words("glob find_files file_glob_search glob_search find_path find_by_name"),
      { name: "file_search", neverSays: /\bfuzzy/i },
      { name: "search_files", has: "exclude_patterns" },
      { name: "find", has: "pattern" },
    ],
    parameters: { pattern: words("pattern glob glob_pattern query patterns"), path: folders, limit: limits },
  },
  fetch: {
    names: words(
      "webfetch web_fetch fetch fetch_url url_fetch fetch_webpage fetch_web_content fetch_url_content read_url",
    ),
    parameters: {
      url: words("url urls uri link"),
      format: words("format"),
      prompt: words("prompt query question objective"),
    },
    bundles: words("requests"),
  },
} satisfies Record<string, RoleEntry>;

/** What a tool is for, independent of its name. */
export type Role = keyof typeof roles;
type ParametersOf<R> = R extends Role ? keyof (typeof roles)[R]["parameters"] : never;
/** One value that can be passed to a tool, independent of the parameter's name. */
export type Slot = ParametersOf<Role>;

/** A name that means something else in other clients, and so counts only under a condition. */
export interface ConditionalName {
  readonly name: string;
  readonly has?: string;
  /** Must match the first sentence of the tool's description, or the description of a parameter. */
  readonly says?: RegExp;
  readonly neverSays?: RegExp;
}

export interface RoleEntry {
  readonly names: readonly (string | ConditionalName)[];
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  /** Parameters that hold a list of objects, each with the parameters above. */
  readonly bundles?: readonly string[];
}

/** Prefixes of tools on the user's own machine. No others are removed: `mcp__github__search_files` searches elsewhere. */
export const localNamespaces = words(
  "functions. default_api. default_api: builtin_ developer__ container. mcp__acp__ mcp__filesystem__ mcp_filesystem_",
  "filesystem__ filesystem_ mcp__desktop-commander__ mcp__desktop_commander__ desktop-commander__ desktop_commander_",
);

/** Parameters that only take a sentence for the user to read. */
export const descriptiveParameters = words(
  "description display_description explanation reason justification goal purpose summary title instruction",
  "instructions tool_summary",
);

function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(" "));
}
