import type { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { ErrorDetails_Error, ErrorDetails_ErrorSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import type { TurnUsage } from "../../model/directives.js";
import { planModelCall, type Situation } from "../../model/plan.js";
import type { Act, Ask } from "../../model/script.js";
import { tokensOf } from "../../model/tokens.js";
import type { AssistantPart, Entry, ToolResult } from "../../model/transcript.js";
import { counting, inWords } from "../../model/words.js";
import { isTextTool } from "./read-prompt.js";

/** One question of the model, with the id in its events. */
export interface OpenAsk {
  readonly ask: Ask;
  readonly id: string;
}

/** Where the model's words and questions go: print mode's events, or ACP's. */
export interface Stage {
  think(delta: string): Promise<void>;
  thinkingDone(): void;
  say(delta: string): Promise<void>;
  /** Asks the questions of one model call, and hands over each answer as it comes. */
  askAll(asks: readonly OpenAsk[], onAnswer: (open: OpenAsk, result: string) => void): Promise<void>;
  sleep(ms: number): Promise<void>;
  newCallId(): string;
  /** Called when the model refuses; print mode has no event for that. */
  refused?(): void;
  crash(): never;
}

/** The failure of `[[fail CODE]]`. */
export class ModelFailure extends Error {
  readonly code: Code;
  readonly error: number | undefined;

  constructor(code: Code, error: number | undefined) {
    super("the model failed");
    this.code = code;
    this.error = error;
  }
}

export const USAGE_LIMIT =
  "ActionRequiredError: You've hit your usage limit for this model. Switch to a different model or set a Spend Limit " +
  "to continue with it. Your usage limits will reset when your monthly cycle ends on 12/1/2026.";

/** The tokens of Cursor's own system prompt and tools, which every request has. */
const BASE_TOKENS = 15_400;

/** Plays the turn that the last user entry began and appends to the entries. */
export async function playTurn(
  entries: Entry[],
  situation: Omit<Situation, "entries">,
  stage: Stage,
): Promise<TurnUsage> {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  for (;;) {
    const plan = planModelCall({ ...situation, entries });
    usage.input += BASE_TOKENS + tokensOf(Buffer.byteLength(JSON.stringify(entries)));
    const parts: AssistantPart[] = [];
    for (const act of plan.acts) parts.push(...(await perform(act, stage)));
    usage.output += tokensOf(Buffer.byteLength(JSON.stringify(parts)));
    const asks = plan.asks.map(({ ask, id }): OpenAsk => ({ ask, id: id ?? stage.newCallId() }));
    const calls = asks.map(({ ask, id }): AssistantPart => {
      return { type: "tool-call", toolCallId: id, toolName: ask.label, args: ask.args };
    });
    if (parts.length + calls.length > 0) {
      entries.push({ role: "assistant", id: String(entries.length), parts: [...parts, ...calls] });
    }
    const spoken = asks.filter(({ ask }) => ask.type === "call" && isTextTool(ask.tool));
    for (const { ask } of spoken) await stage.say(`\n<tool_call>${toJson(ask)}</tool_call>`);
    // A call in words ends the turn: its result can come only with the next prompt.
    if (plan.isRefused) stage.refused?.();
    if (asks.length === 0 || spoken.length > 0) return plan.usage ?? usage;
    const results: ToolResult[] = [];
    await stage.askAll(asks, ({ ask, id }, result) => {
      results.push({ toolCallId: id, toolName: ask.label, result });
    });
    entries.push({ role: "tool", results });
  }
}

function toJson({ label, args }: Ask): string {
  return JSON.stringify({ name: label, arguments: args });
}

async function perform(act: Act, stage: Stage): Promise<AssistantPart[]> {
  switch (act.type) {
    case "think":
      for (const delta of inWords(act.text)) await stage.think(delta);
      stage.thinkingDone();
      return [{ type: "reasoning", text: act.text }];
    case "say":
    case "refuse":
      for (const delta of inWords(act.text)) await stage.say(delta);
      return [{ type: "text", text: act.text }];
    case "stream":
      for (const delta of counting(act.count)) await stage.say(delta);
      return [{ type: "text", text: [...counting(act.count)].join("") }];
    case "flood":
    case "update":
    case "notice":
      return []; // a CLI has no person to ask or to notify, and shows nothing that it does not know
    case "wait":
      await stage.sleep(act.ms);
      return [];
    case "fail":
      throw new ModelFailure(act.code, act.error);
    case "drop":
    case "end":
      return stage.crash();
    case "goaway":
      return act.isCut === true ? stage.crash() : [];
  }
}

/** The line that the CLI prints for an error of the service. */
export function failureText({ code, error = ErrorDetails_Error.UNSPECIFIED }: ModelFailure): string {
  const name = ErrorDetails_ErrorSchema.values.find(({ number }) => number === error)?.name ?? "";
  if (/USAGE_LIMIT|USAGE_PRICING/.test(name)) return USAGE_LIMIT;
  const label = codeToString(code);
  // Class names are minified, so no reader may rely on the letter.
  const thrower = label === "resource_exhausted" ? "S" : label === "internal" ? "RetriableError" : "T";
  return `${thrower}: [${label}] ${error === ErrorDetails_Error.UNSPECIFIED ? "Error" : name}`;
}
