import type { JsonObject } from "@bufbuild/protobuf";
import type { Permissions } from "./permissions.js";

/** One of Cursor's own tools as the CLI shows it. It does not really read, write or run anything. */
interface NativeTool {
  /** The key in the event. */
  readonly kind: string;
  /** The kind and title in ACP. */
  readonly acpKind: "execute" | "read" | "search" | "edit" | "fetch" | "other";
  readonly title: string;
  /** The permission token, and whether the tool changes something. */
  readonly token: string;
  readonly changes: boolean;
  success(args: JsonObject): JsonObject;
}

const shell: NativeTool = {
  kind: "shellToolCall",
  acpKind: "execute",
  title: "Run Command",
  token: "Shell",
  changes: true,
  success: ({ command = "", workingDirectory = "" }) => ({
    command,
    workingDirectory,
    exitCode: 0,
    signal: "",
    stdout: `simulated output of ${String(command)}\n`,
    stderr: "",
    executionTime: 12,
    interleavedOutput: `simulated output of ${String(command)}\n`,
  }),
};

const tools: Readonly<Record<string, NativeTool>> = {
  shell,
  shell_stream: shell,
  read: {
    kind: "readToolCall",
    acpKind: "read",
    title: "Read File",
    token: "Read",
    changes: false,
    success: ({ path = "" }) => {
      const content = `simulated content of ${String(path)}`;
      return { content, isEmpty: false, exceededLimit: false, totalLines: 1, totalChars: content.length };
    },
  },
  write: {
    kind: "writeToolCall",
    acpKind: "edit",
    title: "Edit File",
    token: "Write",
    changes: true,
    success: ({ path = "", fileText = "" }) => ({
      path,
      linesCreated: String(fileText).split("\n").length,
      fileSize: Buffer.byteLength(String(fileText)),
    }),
  },
  delete: plain("deleteToolCall", "edit", "Delete File", "Write", true, { fileSize: 1 }),
  ls: plain("lsToolCall", "search", "List Directory", "Read", false, { directoryTreeRoot: {} }),
  grep: plain("grepToolCall", "search", "Search", "Read", false, { workspaceResults: {} }),
  fetch: plain("webFetchToolCall", "fetch", "Fetch", "WebFetch", true, { content: "simulated page" }),
  diagnostics: plain("readLintsToolCall", "read", "Read Lints", "Read", false, { fileDiagnostics: [] }),
};

export function findNativeTool(name: string): NativeTool {
  const known = tools[name];
  if (known !== undefined) return known;
  const camel = name.replace(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase());
  return plain(`${camel}ToolCall`, "other", name, "Other", false, {});
}

/** Whether a tool may run; if not, the model reads `reason`. */
export type Verdict = { readonly may: "run" } | { readonly may: "ask" | "not"; readonly reason: string };

/** Deny rules win over everything; then reading tools and tools allowed by a rule may run. */
export function judgeNative(
  { token, changes, title }: NativeTool,
  args: JsonObject,
  { permissions, isForced, isReadOnly }: { permissions: Permissions; isForced: boolean; isReadOnly: boolean },
): Verdict {
  const what = String(args.command ?? args.path ?? args.url ?? "");
  if (permissions.denies(token, what)) return { may: "not", reason: `Denied by the rules: ${token}(${what})` };
  if (!changes || permissions.allows(token, what)) return { may: "run" };
  if (isReadOnly) return { may: "not", reason: `${title} is not available in this mode` };
  return isForced ? { may: "run" } : { may: "ask", reason: `User rejected ${token}: ${what}` };
}

function plain(
  kind: string,
  acpKind: NativeTool["acpKind"],
  title: string,
  token: string,
  changes: boolean,
  success: JsonObject,
): NativeTool {
  return { kind, acpKind, title, token, changes, success: () => success };
}
