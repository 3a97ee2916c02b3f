import { z } from "zod";

/** A tool that the CLI runs itself. */
export interface CliTool {
  readonly name: string;
  readonly input: string;
  /** In a few words; empty while it runs. */
  readonly summary: string;
}

const MAX_SUMMARY = 300;
/** What clients call the tools that have other names in the CLI. */
const names: Readonly<Record<string, string>> = {
  shell: "bash",
  read_file: "read",
  write_file: "write",
  edit_file: "edit",
};
const fields = z.record(z.string(), z.unknown()).catch({});

/** The kind is the one key that ends in `ToolCall`, or `function`; its neighbours come and go with the builds. */
export function readTool(toolCall: Readonly<Record<string, unknown>>): CliTool {
  const kind = Object.keys(toolCall).find((key) => key.endsWith("ToolCall") || key === "function") ?? "";
  const { args: rawArgs, result, name, arguments: text } = fields.parse(toolCall[kind]);
  const { toolCallId: _, ...args } = fields.parse(rawArgs);
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
  const [[outcome, detail] = ["done", {}]] = Object.entries(fields.parse(result));
  const told = JSON.stringify(detail) ?? "";
  return (outcome === "success" ? told : `${outcome}: ${told}`).slice(0, MAX_SUMMARY);
}
