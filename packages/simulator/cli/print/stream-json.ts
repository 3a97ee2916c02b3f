import type { JsonObject } from "@bufbuild/protobuf";
import type { TurnUsage } from "../../model/directives.js";
import type { Scenario } from "../scenario.js";
import type { Lines } from "./lines.js";
import type { Narrator, ShownCall, ShownQuery } from "./narrator.js";
import { type PrintedResult, toUsage } from "./quiet.js";

export interface PrintedStream extends PrintedResult {
  readonly keySource: string;
  readonly cwd: string;
  /** The display name. */
  readonly model: string;
  readonly isPartial: boolean;
  readonly scenario: Pick<Scenario, "flush" | "retry" | "noise" | "hugeLineBytes" | "oldBuild">;
  now(): number;
}

/** The format `stream-json`: one event per line, with the repeated texts that drivers have to recognise. */
export class StreamJson implements Narrator {
  readonly #stream: PrintedStream;
  readonly #lines: Lines;
  readonly #startedAt = new Map<string, number>();
  #segment: string[] = [];
  #said = "";
  #step = 0;
  #queries = 0;
  #hasRetried = false;

  constructor(stream: PrintedStream, lines: Lines) {
    this.#stream = stream;
    this.#lines = lines;
  }

  begin(prompt: string): void {
    const { keySource, cwd, model, scenario, sessionId } = this.#stream;
    this.#lines.event({
      type: "system",
      subtype: "init",
      apiKeySource: keySource,
      cwd,
      session_id: sessionId,
      model,
      permissionMode: "default",
    });
    this.#lines.event({ type: "user", message: message("user", prompt), session_id: sessionId });
    for (const line of scenario.noise) this.#lines.raw(line);
    if (scenario.hugeLineBytes > 0) {
      this.#lines.event({ type: "future", subtype: "huge", filling: "x".repeat(scenario.hugeLineBytes) });
    }
  }

  think(text: string): void {
    this.#event({ type: "thinking", subtype: "delta", text }, this.#stream.now());
  }

  thinkingDone(): void {
    this.#event({ type: "thinking", subtype: "completed" }, this.#stream.now());
  }

  say(delta: string): void {
    this.#segment.push(delta);
    this.#said += delta;
    if (!this.#stream.isPartial) return;
    this.#delta(delta);
    if (this.#segment.length === 2) this.#retry();
  }

  turnToTools(): void {
    this.#flush((text) => {
      const event = { type: "assistant", message: message("assistant", text), session_id: this.#stream.sessionId };
      this.#lines.event({ ...event, model_call_id: this.#modelCallId(), timestamp_ms: this.#stream.now() });
    });
  }

  toolStarted(call: ShownCall): void {
    const startedAt = this.#stream.now();
    this.#startedAt.set(call.id, startedAt);
    const { args, description } = call;
    this.#tool("started", call, { args: { ...args, toolCallId: call.id }, ...(description ? { description } : {}) });
  }

  toolCompleted(call: ShownCall, result: JsonObject): void {
    this.#tool("completed", call, { args: { ...call.args, toolCallId: call.id }, result });
  }

  /** All tools of a model call are answered, so another model call follows. */
  nextStep(): void {
    this.#step += 1;
  }

  query({ type, args, responseType, response }: ShownQuery): void {
    this.#queries += 1;
    const id = this.#queries;
    const session_id = this.#stream.sessionId;
    const head = { type: "interaction_query", subtype: "request", query_type: type };
    this.#lines.event({ ...head, query: { id, [type]: { args } }, session_id });
    const answer = { id, [responseType]: response };
    this.#lines.event({ ...head, subtype: "response", response: answer, session_id });
  }

  finishSpeaking(): void {
    this.#retry();
    this.#flush((text) => {
      this.#lines.event({
        type: "assistant",
        message: message("assistant", text),
        session_id: this.#stream.sessionId,
      });
    });
    this.#lines.flush();
  }

  result(usage: TurnUsage | undefined): void {
    const ms = this.#stream.durationMs();
    this.#lines.event({
      type: "result",
      subtype: "success",
      duration_ms: ms,
      duration_api_ms: ms,
      is_error: false,
      result: this.#said,
      session_id: this.#stream.sessionId,
      request_id: this.#stream.requestId,
      ...(usage === undefined ? {} : { usage: toUsage(usage) }),
    });
    this.#lines.flush();
  }

  errorResult(text: string): void {
    const { sessionId: session_id, requestId: request_id } = this.#stream;
    this.#lines.event({ type: "result", subtype: "error", is_error: true, result: text, session_id, request_id });
    this.#lines.flush();
  }

  #delta(text: string): void {
    this.#event({ type: "assistant", message: message("assistant", text) }, this.#stream.now());
  }

  #flush(write: (text: string) => void): void {
    if (this.#segment.length > 0) write(this.#stream.scenario.flush === "whole" ? this.#said : this.#segment.join(""));
    this.#segment = [];
  }

  /** Once per turn, in the middle of a text, the connection breaks and the text begins again. */
  #retry(): void {
    const { scenario, sessionId: session_id, isPartial } = this.#stream;
    if (!scenario.retry || this.#hasRetried || !isPartial || this.#segment.length === 0) return;
    this.#hasRetried = true;
    this.#lines.event({ type: "connection", subtype: "reconnecting", session_id });
    this.#lines.event({ type: "retry", subtype: "starting", session_id, attempt: 1, is_resume: true });
    this.#lines.event({ type: "retry", subtype: "resuming", session_id, attempt: 1, checkpoint_turn_count: 1 });
    this.#lines.event({ type: "connection", subtype: "reconnected", session_id });
    for (const delta of this.#segment) this.#delta(delta);
  }

  #tool(subtype: "started" | "completed", { id, kind }: ShownCall, call: JsonObject): void {
    const startedAtMs = String(this.#startedAt.get(id));
    const completed = subtype === "completed" ? { completedAtMs: String(this.#stream.now()) } : {};
    const around = this.#stream.scenario.oldBuild
      ? {}
      : { hookAdditionalContexts: [], toolCallId: id, startedAtMs, ...completed };
    this.#lines.event({
      type: "tool_call",
      subtype,
      call_id: id,
      tool_call: { [kind]: call, ...around },
      model_call_id: this.#modelCallId(),
      session_id: this.#stream.sessionId,
      timestamp_ms: this.#stream.now(),
    });
  }

  #event(event: object, timestamp_ms: number): void {
    this.#lines.event({ ...event, session_id: this.#stream.sessionId, timestamp_ms });
  }

  /** The same id for everything that one model call asks; the letters distinguish steps. */
  #modelCallId(): string {
    const letters = "abcdefghijklmnopqrstuvwxyz";
    const letter = letters.charAt(this.#step % letters.length);
    return `${this.#stream.requestId}-${this.#step}-${letter.repeat(4)}`;
  }
}

function message(role: "user" | "assistant", text: string): object {
  return { role, content: [{ type: "text", text }] };
}
