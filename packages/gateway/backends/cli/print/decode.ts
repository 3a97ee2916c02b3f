import { type Batch, type TurnEvent, toCall, toText, type Usage } from "../../../turn/event.js";
import { field, isObject, type JsonObject, textField } from "../../../turn/read-json.js";
import { SaidText } from "./said-text.js";

/** Reads the lines of `stream-json`, of which only the type is in all builds (docs/protocol/wire.md, command line). */
export class StreamJsonDecoder {
  hasBegun = false;
  /** Older builds report no usage. */
  result: { readonly isError: boolean; readonly text: string; readonly usage: Usage | undefined } | undefined;
  /** The number of model calls: the first, and one after each group of tools that the CLI has run. */
  modelCalls = 1;
  readonly #said = new SaidText();
  readonly #newCallId: () => string;
  /** Tools that the CLI runs or has run: its ids and ours. */
  readonly #calls = new Map<string, string>();
  readonly #running = new Set<string>();
  #hasRunTools = false;

  constructor(newCallId: () => string) {
    this.#newCallId = newCallId;
  }

  /** Whether the CLI runs one of its own tools, which may be silent for long. */
  get isToolRunning(): boolean {
    return this.#running.size > 0;
  }

  read(event: object): Batch {
    if (this.result !== undefined) return [];
    switch (textField(event, "type")) {
      case "system":
        this.hasBegun ||= textField(event, "subtype") === "init";
        return [];
      case "thinking":
        if (textField(event, "subtype") === "completed") return [];
        this.#onModel();
        return toText(textField(event, "text"), "thinking");
      case "assistant":
        this.#onModel();
        return toText(this.#newText(event));
      case "tool_call":
        return this.#tool(event);
      case "retry":
        this.#said.mayRepeat();
        return [];
      case "result":
        return this.#end(event);
      default:
        return []; // the echo of the prompt, questions that the CLI answers itself, and events of newer builds
    }
  }

  #newText(event: object): string {
    const content = field(field(event, "message"), "content");
    const parts = Array.isArray(content) ? content : [event];
    const text = parts.map((part) => textField(part, "text")).join("");
    const isDelta = field(event, "timestamp_ms") !== undefined && field(event, "model_call_id") === undefined;
    return isDelta ? this.#said.delta(text) : this.#said.flush(text);
  }

  #tool(event: object): Batch {
    const callId = textField(event, "call_id");
    const { name, input, summary } = readTool(fieldsOf(field(event, "tool_call")));
    const known = this.#calls.get(callId);
    const id = known ?? this.#newCallId();
    const events: TurnEvent[] = [];
    if (known === undefined) {
      this.#onModel();
      this.#calls.set(callId, id);
      this.#running.add(callId);
      events.push(...toCall({ id, name, input, runs: "backend" }));
    }
    if (textField(event, "subtype") === "completed" && this.#running.delete(callId)) {
      this.#hasRunTools = true;
      events.push({ type: "call-result", id, summary });
    }
    return events;
  }

  /** Called when the model is working. After tools, that means another model call. */
  #onModel(): void {
    if (!this.#hasRunTools || this.isToolRunning) return;
    this.#hasRunTools = false;
    this.modelCalls++;
  }

  #end(event: object): Batch {
    const error = field(event, "error");
    const result = textField(event, "result");
    const hasFailed = field(event, "is_error") === true || !["", "success"].includes(textField(event, "subtype"));
    const text = hasFailed
      ? [result, typeof error === "string" ? error : JSON.stringify(error)].filter(Boolean).join(" ")
      : "";
    this.result = { isError: hasFailed, text, usage: toUsage(field(event, "usage")) };
    return hasFailed ? [] : toText(this.#said.complete(result));
  }
}

/** It is not known whether the input counts cache reads. We assume so, as on the wire, unless the figures contradict it. */
function toUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const count = (value: unknown) => (typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0);
  const input = count(usage.inputTokens);
  const cacheReadTokens = count(usage.cacheReadTokens);
  return {
    inputTokens: input < cacheReadTokens ? input + cacheReadTokens : input,
    outputTokens: count(usage.outputTokens),
    cacheReadTokens,
    cacheWriteTokens: count(usage.cacheWriteTokens),
    reasoningTokens: 0,
    estimated: false,
  };
}

const MAX_SUMMARY = 300;
/** The clients' names for tools that the CLI names differently. */
const names: Readonly<Record<string, string>> = {
  shell: "bash",
  read_file: "read",
  write_file: "write",
  edit_file: "edit",
};

function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Reads the kind from the one key that ends in `ToolCall`, or from `function`. The other keys differ between builds. */
function readTool(toolCall: JsonObject): { name: string; input: string; summary: string } {
  const kind = Object.keys(toolCall).find((key) => key.endsWith("ToolCall") || key === "function") ?? "";
  const { args: rawArgs, result, name, arguments: text } = fieldsOf(toolCall[kind]);
  const { toolCallId: _, ...args } = fieldsOf(rawArgs);
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
  const [[outcome, detail] = ["done", {}]] = Object.entries(fieldsOf(result));
  const shown = JSON.stringify(detail) ?? "";
  return (outcome === "success" ? shown : `${outcome}: ${shown}`).slice(0, MAX_SUMMARY);
}
