import type { JsonObject } from "@bufbuild/protobuf";
import type { TurnUsage } from "../../model/directives.js";

/** A tool call as the CLI shows it: `{ readToolCall: { args, ... } }`, and its result. */
export interface ShownCall {
  readonly id: string;
  readonly kind: string;
  readonly args: JsonObject;
  readonly description?: string;
}

/** A question that print mode answers by itself. */
export interface ShownQuery {
  readonly type: string;
  readonly args: JsonObject;
  readonly responseType: string;
  readonly response: JsonObject;
}

/** One of the three output formats. */
export interface Narrator {
  begin(prompt: string): void;
  think(delta: string): void;
  thinkingDone(): void;
  say(delta: string): void;
  /** Called when the model stops speaking and calls tools. */
  turnToTools(): void;
  toolStarted(call: ShownCall): void;
  toolCompleted(call: ShownCall, result: JsonObject): void;
  query(query: ShownQuery): void;
  /** Called when all questions of one model call are answered. */
  nextStep(): void;
  /** Called after the last words; a result may follow. */
  finishSpeaking(): void;
  result(usage: TurnUsage | undefined): void;
  /** This event is not documented, but parsers in use expect it. */
  errorResult(message: string): void;
}
