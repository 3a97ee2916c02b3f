import type { GatewayError } from "../../turn/error.js";
import type { Batch, FinishReason, TurnEvent, UsageEvent } from "../../turn/event.js";
import type { FrameWriter } from "../frame.js";
import type { BackgroundEncoder, ReplyHead } from "../front.js";
import type { OutputItem } from "./items/output-item.js";
import {
  EventWriter,
  type ItemPosition,
  StreamedCall,
  type StreamedItem,
  StreamedMessage,
  StreamedReasoning,
} from "./items/streamed-items.js";
import type { ResponsesOptions } from "./parse.js";
import { type ResponseObject, toEnd, toFailure, toResponse, toResponseId, toResponsesUsage } from "./response.js";

/** Encodes batches as the events of one response. One item is open at a time; an event of another item closes it. */
export class ResponsesStreamEncoder implements BackgroundEncoder<ResponseObject> {
  readonly #out: FrameWriter;
  readonly #request: ResponsesOptions;
  #head: ReplyHead;
  readonly #events: EventWriter;
  readonly #output: OutputItem[] = [];
  #open: StreamedItem | undefined;
  #openCall = "";
  #counted: UsageEvent | undefined;
  #finish: FinishReason | undefined;
  #status: "none" | "queued" | "in_progress" = "none";

  constructor(request: ResponsesOptions, head: ReplyHead, out: FrameWriter) {
    this.#out = out;
    this.#events = new EventWriter(out);
    this.#request = request;
    this.#head = head;
  }

  get id(): string {
    return toResponseId(this.#head);
  }

  queue(): ResponseObject {
    this.#status = "queued";
    const response = toResponse(this.#head, this.#request.settings, [], { status: "queued" });
    this.#events.write("response.created", { response });
    this.#events.write("response.queued", { response });
    return response;
  }

  begin(model: string): ResponseObject {
    this.#head = { ...this.#head, model };
    return this.#begin();
  }

  push(batch: Batch): void {
    if (this.#status !== "in_progress") this.#begin();
    for (const event of batch) this.#write(event);
  }

  end(endedMs: number): ResponseObject {
    if (this.#status !== "in_progress") this.#begin();
    const end = toEnd(this.#finish ?? "stop", this.#head, endedMs);
    this.#close(end.status);
    const response = this.#last(end);
    // Whole replies have this in a header. A stream knows it only now, and clients skip comments.
    if (this.#counted?.usage.estimated === true) this.#out.comment("x-curlew-usage: estimated");
    return response;
  }

  /** An open item is not closed: clients run calls and show texts that are marked as done. */
  fail(error: GatewayError): ResponseObject {
    if (this.#status === "none") this.#begin();
    return this.#last({ status: "failed", error: toFailure(error) });
  }

  /** A call that is not complete is left out: it must not be run. */
  cancel(): ResponseObject {
    if (this.#openCall === "") this.#close("incomplete");
    return this.#last({ status: "cancelled" });
  }

  #last(end: Parameters<typeof toResponse>[3]): ResponseObject {
    const usage = toResponsesUsage(this.#counted?.usage, this.#counted?.turn);
    const response = toResponse(this.#head, this.#request.settings, this.#output, { ...end, usage });
    this.#events.write(`response.${end.status}`, { response });
    return response;
  }

  #write(event: TurnEvent): void {
    switch (event.type) {
      case "text":
        if (event.delta !== "") this.#text(event.delta);
        break;
      case "thinking":
        this.#thinking(event.delta, event.signature);
        break;
      case "call":
        if (event.runs === "client") this.#call(event.id, event.name);
        break;
      case "call-input":
        if (event.id === this.#openCall) this.#open?.push(event.delta);
        break;
      case "call-end":
        if (event.id === this.#openCall) this.#close("completed");
        break;
      case "usage":
        this.#counted = event;
        break;
      case "finish":
        this.#finish = event.reason;
        break;
      case "call-result":
      case "checkpoint":
        break;
    }
  }

  #begin(): ResponseObject {
    const response = toResponse(this.#head, this.#request.settings, [], { status: "in_progress" });
    if (this.#status === "none") this.#events.write("response.created", { response });
    if (this.#status !== "in_progress") this.#events.write("response.in_progress", { response });
    this.#status = "in_progress";
    return response;
  }

  #text(delta: string): void {
    const open = this.#open;
    const message = open instanceof StreamedMessage ? open : this.#start((position) => new StreamedMessage(position));
    message.push(delta);
  }

  #thinking(delta: string, signature: string | undefined): void {
    if (delta === "" && signature === undefined) return;
    const { isReasoningSealed } = this.#request;
    const open = this.#open;
    const reasoning =
      open instanceof StreamedReasoning
        ? open
        : this.#start((position) => new StreamedReasoning(position, isReasoningSealed));
    reasoning.push(delta, signature);
  }

  #call(id: string, name: string): void {
    const tool = this.#request.names.toClient(name);
    this.#start((position) => new StreamedCall(position, id, tool));
    this.#openCall = id;
  }

  #start<Item extends StreamedItem>(make: (position: ItemPosition) => Item): Item {
    this.#close("completed");
    const item = make({ events: this.#events, replyId: this.#head.id, index: this.#output.length });
    this.#open = item;
    item.open();
    return item;
  }

  #close(status: "completed" | "incomplete"): void {
    if (this.#open === undefined) return;
    this.#output.push(this.#open.close(status));
    this.#open = undefined;
    this.#openCall = "";
  }
}
