import { z } from "zod";
import { type Batch, type TurnEvent, toCall, toText, type Usage } from "../../../turn/event.js";
import { SaidText } from "./said-text.js";

const OptionalText = z.string().optional().catch(undefined);
const Count = z.number().nonnegative().catch(0);
const RunUsage = z.object({
  inputTokens: Count,
  outputTokens: Count,
  cacheReadTokens: Count,
  cacheWriteTokens: Count,
});
const Content = z.array(z.object({ type: z.string(), text: OptionalText }).catch({ type: "unknown", text: undefined }));

/** The fields of a `stream-json` line that we use: only the type is in all builds (docs/protocol/wire.md, command line). */
const CliEvent = z.object({
  type: z.string(),
  subtype: OptionalText,
  text: OptionalText,
  message: z.object({ content: Content }).optional().catch(undefined),
  timestamp_ms: z.unknown().optional(),
  model_call_id: z.unknown().optional(),
  call_id: OptionalText,
  tool_call: z.record(z.string(), z.unknown()).optional().catch(undefined),
  is_error: z.boolean().optional().catch(undefined),
  result: OptionalText,
  error: z.unknown().optional(),
  usage: RunUsage.optional().catch(undefined),
});
type CliEvent = z.infer<typeof CliEvent>;

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

  read(json: object): Batch {
    const parsed = CliEvent.safeParse(json);
    if (!parsed.success || this.result !== undefined) return [];
    const event = parsed.data;
    switch (event.type) {
      case "system":
        this.hasBegun ||= event.subtype === "init";
        return [];
      case "thinking":
        if (event.subtype === "completed") return [];
        this.#onModel();
        return toText(event.text ?? "", "thinking");
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

  #newText(event: CliEvent): string {
    const text = event.message?.content.map((part) => part.text ?? "").join("") ?? event.text ?? "";
    const isDelta = event.timestamp_ms !== undefined && event.model_call_id === undefined;
    return isDelta ? this.#said.delta(text) : this.#said.flush(text);
  }

  #tool({ subtype, call_id: callId = "", tool_call: toolCall = {} }: CliEvent): Batch {
    const { name, input, summary } = readTool(toolCall);
    const known = this.#calls.get(callId);
    const id = known ?? this.#newCallId();
    const events: TurnEvent[] = [];
    if (known === undefined) {
      this.#onModel();
      this.#calls.set(callId, id);
      this.#running.add(callId);
      events.push(...toCall({ id, name, input, runs: "backend" }));
    }
    if (subtype === "completed" && this.#running.delete(callId)) {
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

  #end({ subtype, is_error: isError, result = "", error, usage }: CliEvent): Batch {
    const hasFailed = isError === true || (subtype !== undefined && subtype !== "success");
    const text = hasFailed
      ? [result, typeof error === "string" ? error : JSON.stringify(error)].filter(Boolean).join(" ")
      : "";
    this.result = { isError: hasFailed, text, usage: usage && toUsage(usage) };
    return hasFailed ? [] : toText(this.#said.complete(result));
  }
}

/** It is not known whether the input counts cache reads. We assume so, as on the wire, unless the figures contradict it. */
function toUsage({ inputTokens, cacheReadTokens, ...rest }: NonNullable<CliEvent["usage"]>): Usage {
  const all = inputTokens < cacheReadTokens ? inputTokens + cacheReadTokens : inputTokens;
  return { ...rest, inputTokens: all, cacheReadTokens, reasoningTokens: 0, estimated: false };
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
function readTool(toolCall: Readonly<Record<string, unknown>>): { name: string; input: string; summary: string } {
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
