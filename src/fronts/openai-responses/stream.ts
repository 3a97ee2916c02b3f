import type { GatewayError } from "../../turn/error.js";
import type { Batch, FinishReason, TurnEvent, Usage } from "../../turn/event.js";
import type { ReplyFacts, StreamEncoder } from "../front.js";
import { toDialectError } from "./error.js";
import { EventWriter } from "./items/event-writer.js";
import type { OutputItem } from "./items/output-item.js";
import { StreamedCall } from "./items/streamed-call.js";
import type { ItemPlace, StreamedItem } from "./items/streamed-item.js";
import { StreamedMessage } from "./items/streamed-message.js";
import { StreamedReasoning } from "./items/streamed-reasoning.js";
import type { ResponsesOptions } from "./parse.js";
import { toIncompleteDetails, toResponse } from "./response.js";

/** Batches as the events of one response. One item is open at a time; what belongs to another one closes it. */
export class ResponsesStreamEncoder implements StreamEncoder {
  readonly #request: ResponsesOptions;
  readonly #facts: ReplyFacts;
  readonly #now: () => number;
  readonly #events = new EventWriter();
  readonly #output: OutputItem[] = [];
  #open: StreamedItem | undefined;
  #openCall = "";
  #usage: Usage | undefined;
  #turnUsage: Usage | undefined;
  #finish: FinishReason | undefined;
  #hasBegun = false;

  constructor(request: ResponsesOptions, facts: ReplyFacts, now: () => number) {
    this.#request = request;
    this.#facts = facts;
    this.#now = now;
  }

  push(batch: Batch): string {
    let frames = this.#begin();
    for (const event of batch) frames += this.#frame(event);
    return frames;
  }

  end(): string {
    const finish = this.#finish ?? "stop";
    const isWhole = toIncompleteDetails(finish) === null;
    const frames = this.#begin() + this.#close(isWhole ? "completed" : "incomplete");
    const state = {
      status: "ended",
      finish,
      usage: this.#usage,
      turnUsage: this.#turnUsage,
      endedMs: this.#now(),
    } as const;
    const response = toResponse(this.#facts, this.#request.settings, this.#output, state);
    this.#request.keep(response, this.#facts.id);
    const last = this.#events.write(`response.${response.status}`, { response });
    // A header of whole replies; a stream knows it only now, and clients pass over comments.
    return frames + last + (this.#usage?.estimated === true ? ": x-curlew-usage: estimated\n\n" : "");
  }

  /** What is still open stays so: clients run the calls and show the texts that they are told are done. */
  fail(error: GatewayError): string {
    const state = {
      status: "failed",
      error: toDialectError(error),
      usage: this.#usage,
      turnUsage: this.#turnUsage,
    } as const;
    const response = toResponse(this.#facts, this.#request.settings, this.#output, state);
    return this.#begin() + this.#events.write("response.failed", { response });
  }

  #frame(event: TurnEvent): string {
    switch (event.type) {
      case "text":
        return event.delta === "" ? "" : this.#text(event.delta);
      case "thinking":
        return this.#thinking(event.delta, event.signature);
      case "call":
        return event.runs === "client" ? this.#call(event.id, event.name) : "";
      case "call-input":
        return event.id === this.#openCall && this.#open !== undefined ? this.#open.push(event.delta) : "";
      case "call-end":
        return event.id === this.#openCall ? this.#close("completed") : "";
      case "usage":
        this.#usage = event.usage;
        this.#turnUsage = event.turn;
        return "";
      case "finish":
        this.#finish = event.reason;
        return "";
      case "call-result":
      case "checkpoint":
        return "";
    }
  }

  #begin(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    const response = toResponse(this.#facts, this.#request.settings, [], { status: "in_progress" });
    return (
      this.#events.write("response.created", { response }) + this.#events.write("response.in_progress", { response })
    );
  }

  #text(delta: string): string {
    if (this.#open instanceof StreamedMessage) return this.#open.push(delta);
    const before = this.#close("completed");
    const message = new StreamedMessage(this.#place());
    this.#open = message;
    return before + message.open() + message.push(delta);
  }

  #thinking(delta: string, signature: string | undefined): string {
    if (delta === "" && signature === undefined) return "";
    if (this.#open instanceof StreamedReasoning) return this.#open.push(delta, signature);
    const before = this.#close("completed");
    const reasoning = new StreamedReasoning(this.#place(), this.#request.isReasoningSealed);
    this.#open = reasoning;
    return before + reasoning.open() + reasoning.push(delta, signature);
  }

  #call(id: string, name: string): string {
    const before = this.#close("completed");
    const call = new StreamedCall(this.#place(), id, this.#request.names.toClient(name));
    this.#open = call;
    this.#openCall = id;
    return before + call.open();
  }

  #close(status: "completed" | "incomplete"): string {
    if (this.#open === undefined) return "";
    const { frames, item } = this.#open.close(status);
    this.#output.push(item);
    this.#open = undefined;
    this.#openCall = "";
    return frames;
  }

  #place(): ItemPlace {
    return { events: this.#events, replyId: this.#facts.id, index: this.#output.length };
  }
}
