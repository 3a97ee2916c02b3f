import { z } from "zod";

/** A tool that the CLI runs itself. */
export interface CliTool {
  readonly name: string;
  readonly input: string;
  /** A short summary; empty while the tool runs. */
  readonly summary: string;
}

const MAX_SUMMARY = 300;
/** The clients' names for tools that the CLI names differently. */
const names: Readonly<Record<string, string>> = {
  shell: "bash",
  read_file: "read",
  write_file: "write",
  edit_file: "edit",
};
const Fields = z.record(z.string(), z.unknown()).catch({});

/** Reads the kind from the one key that ends in `ToolCall`, or from `function`. The other keys differ between builds. */
export function readTool(toolCall: Readonly<Record<string, unknown>>): CliTool {
  const kind = Object.keys(toolCall).find((key) => key.endsWith("ToolCall") || key === "function") ?? "";
  const { args: rawArgs, result, name, arguments: text } = Fields.parse(toolCall[kind]);
  const { toolCallId: _, ...args } = Fields.parse(rawArgs);
  const summary = summaryOf(result);
  if (kind === "function") {
    return { name: String(name ?? "function"), input: typeof text === "string" ? text : "{}", summary };
  }
  if (kind === "mcpToolCall") {
    return { name: String(args.toolName ?? "mcp"), input: JSON.stringify(args.args ?? {}), summary };
  }
  return { name: nameOf(kind), input: JSON.stringify(args), summary };
}

/** `BashToolCall` and `shellToolCall` -> `bash`, `webSearchToolCall` -> `web_search` */
function nameOf(kind: string): string {
  const words = kind.replace(/ToolCall$/, "").replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`);
  const name = words.toLowerCase();
  return names[name] ?? (name || "tool");
}

function summaryOf(result: unknown): string {
  if (result === undefined) return "";
  const [[outcome, detail] = ["done", {}]] = Object.entries(Fields.parse(result));
  const shown = JSON.stringify(detail) ?? "";
  return (outcome === "success" ? shown : `${outcome}: ${shown}`).slice(0, MAX_SUMMARY);
}
