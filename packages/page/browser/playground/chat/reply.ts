import { Problem } from "../../api/call.js";
import { Listeners } from "../../api/listeners.js";
import { GrowingText } from "../text/growing-text.js";
import { type ChunkPart, type ReplyUsage, readChunk } from "./chunk.js";
import { EventLog } from "./event-log.js";
import type { Call, ChatBody } from "./request-body.js";

type ReplyFacts = Partial<Record<"requestId" | "model" | "continuity" | "warnings", string | undefined>>;

type ReplyState = "asked" | "streaming" | "complete" | "stopped" | "failed";

/** One request to a model and its reply. Its texts have change notifications of their own. */
export class Reply extends Listeners {
  readonly body: ChatBody;
  readonly text = new GrowingText();
  readonly thinking = new GrowingText();
  readonly events = new EventLog();
  readonly #nowMs: () => number;
  /** Also identifies the reply. */
  readonly startedMs: number;
  state: ReplyState = "asked";
  facts: ReplyFacts | undefined;
  finish: string | undefined;
  usage: ReplyUsage | undefined;
  turnUsage: ReplyUsage | undefined;
  problem: Problem | undefined;
  firstByteMs: number | undefined;
  totalMs: number | undefined;
  #isDone = false;
  readonly #calls = new Map<number, Call>();

  constructor(body: ChatBody, nowMs: () => number) {
    super();
    this.body = body;
    this.#nowMs = nowMs;
    this.startedMs = nowMs();
  }

  get isRunning(): boolean {
    return this.state === "asked" || this.state === "streaming";
  }

  get calls(): readonly Call[] {
    return [...this.#calls.values()];
  }

  begin(headers: Headers): void {
    this.state = "streaming";
    this.facts = {
      requestId: headers.get("x-request-id") ?? undefined,
      model: headers.get("x-curlew-model") ?? undefined,
      continuity: headers.get("x-curlew-continuity") ?? undefined,
      warnings: headers.get("x-curlew-warnings") ?? undefined,
    };
    this.tell();
  }

  take(data: string): void {
    const atMs = this.#nowMs() - this.startedMs;
    const parts = readChunk(data);
    this.events.push(atMs, parts[0]?.type ?? "other", data);
    if (this.firstByteMs === undefined) {
      this.firstByteMs = atMs;
      this.tell();
    }
    for (const part of parts) this.#apply(part);
  }

  end(): void {
    if (this.problem !== undefined) this.#close("failed");
    else if (this.#isDone) this.#close("complete");
    else this.fail(new Problem("The connection to the gateway was lost before the reply was complete.", 0));
  }

  stop(): void {
    this.#close("stopped");
  }

  fail(problem: Problem): void {
    this.problem = problem;
    this.facts ??= { requestId: problem.details.requestId };
    this.#close("failed");
  }

  #close(state: ReplyState): void {
    this.state = state;
    this.totalMs = this.#nowMs() - this.startedMs;
    // Calls with truncated arguments cannot be answered.
    if (state !== "complete") this.#calls.clear();
    this.text.end();
    this.thinking.end();
    this.tell();
  }

  #apply(part: ChunkPart): void {
    switch (part.type) {
      case "start":
        return;
      case "text":
        this.text.push(part.delta);
        return;
      case "thinking":
        this.thinking.push(part.delta);
        return;
      case "call":
        this.#addToCall(part);
        break;
      case "finish":
        this.finish = part.reason;
        break;
      case "usage":
        this.usage = part.reply;
        this.turnUsage = part.turn;
        break;
      case "problem":
        this.problem = new Problem(part.message, 0, { code: part.code });
        break;
      case "done":
        this.#isDone = true;
        break;
    }
    this.tell();
  }

  #addToCall({ index, id, name, argumentsDelta }: Extract<ChunkPart, { type: "call" }>): void {
    const before = this.#calls.get(index) ?? { id: "", name: "", arguments: "" };
    this.#calls.set(index, {
      id: before.id || id,
      name: before.name || name,
      arguments: before.arguments + argumentsDelta,
    });
  }
}
