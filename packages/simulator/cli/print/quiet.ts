import type { TurnUsage } from "../../model/directives.js";
import type { Narrator } from "./narrator.js";

export interface PrintedResult {
  readonly sessionId: string;
  readonly requestId: string;
  durationMs(): number;
}

/** The formats `text` and `json`, which print nothing until the end. */
export function createQuiet(format: "text" | "json", printed: PrintedResult, out: (text: string) => void): Narrator {
  let said = "";
  const nothing = () => {};
  return {
    begin: nothing,
    think: nothing,
    thinkingDone: nothing,
    say(delta) {
      said += delta;
    },
    turnToTools: nothing,
    toolStarted: nothing,
    toolCompleted: nothing,
    query: nothing,
    nextStep: nothing,
    finishSpeaking: nothing,
    result: (usage) => out(format === "text" ? `${said}\n` : `${JSON.stringify(toResult(said, usage, printed))}\n`),
    errorResult: nothing,
  };
}

function toResult(result: string, usage: TurnUsage | undefined, { sessionId, requestId, durationMs }: PrintedResult) {
  const ms = durationMs();
  return {
    type: "result",
    subtype: "success",
    is_error: false,
    duration_ms: ms,
    duration_api_ms: ms,
    result,
    session_id: sessionId,
    request_id: requestId,
    ...(usage === undefined ? {} : { usage: toUsage(usage) }),
  };
}

export function toUsage({ input, output, cacheRead, cacheWrite }: TurnUsage): object {
  return { inputTokens: input, outputTokens: output, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite };
}
