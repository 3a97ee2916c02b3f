import type { JsonObject } from "@bufbuild/protobuf";
import type { TurnUsage } from "../../model/directives.js";

/** A tool call as the CLI shows it: `{ readToolCall: { args, ... } }` and what it came to. */
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
  /** The model stops speaking and calls tools. */
  turnToTools(): void;
  toolStarted(call: ShownCall): void;
  toolCompleted(call: ShownCall, result: JsonObject): void;
  query(query: ShownQuery): void;
  /** Everything that one model call asked is answered. */
  nextStep(): void;
  /** The last words are out; the result comes next, if it comes. */
  finishSpeaking(): void;
  result(usage: TurnUsage | undefined): void;
  /** Not documented; parsers in the field expect it. */
  errorResult(message: string): void;
}
