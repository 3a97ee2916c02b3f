import { GatewayError } from "../../../turn/error.js";
import { parseJson } from "../../../turn/read-json.js";
import type { ReplyWriter } from "../../exchange/index.js";
import type { Call } from "./call-record.js";

/** Sends calls to the client while the model writes them, one after another: their inputs must not interleave. */
export class CallSender {
  sending: Call | undefined;
  /** Calls that the server has asked for, to be sent when no other call is being sent. */
  #ready: Call[] = [];
  /** Calls that have begun and are not sent in full, in the order in which they were made. */
  readonly #written = new Set<Call>();

  onNewStream(): void {
    this.#ready = [];
  }

  /** Adds the arguments that the model has written: the whole text so far, or only the new part. */
  write(call: Call, text: string, replies: ReplyWriter): void {
    this.#written.add(call);
    const seen = call.sent + call.unsent;
    call.unsent += text.startsWith(seen) ? text.slice(seen.length) : text;
    this.sending ??= call;
    if (this.sending === call) sendInput(call, replies);
  }

  /**
   * Once the call being sent is complete, sends all complete calls, then starts the next one that is being written.
   * @throws GatewayError `upstream_error` when the server changed arguments that the client has received already.
   */
  send(call: Call, replies: ReplyWriter): void {
    this.#ready.push(call);
    if (this.sending !== undefined && this.sending.asked === undefined) return;
    const ready = this.#ready.sort((a, b) => a.at - b.at);
    this.#ready = [];
    for (const each of this.sending === undefined ? ready : [this.sending, ...ready]) {
      this.#written.delete(each);
      if (each.stage !== "sent") sendWhole(each, replies);
    }
    this.sending = undefined;
    for (const each of this.#written) {
      if (each.unsent === "") continue;
      this.sending = each;
      sendInput(each, replies);
      return;
    }
  }
}

function sendWhole(call: Call, replies: ReplyWriter): void {
  call.unsent = remainder(call);
  sendInput(call, replies);
  replies.endCall(call.id);
  call.stage = "sent";
}

function sendInput(call: Call, replies: ReplyWriter): void {
  if (call.stage === "unsent") {
    call.stage = "sending";
    replies.beginCall(call.id, call.name);
  }
  if (call.unsent === "") return;
  replies.writeInput(call.id, call.unsent);
  call.sent += call.unsent;
  call.unsent = "";
}

/** The arguments that the client lacks. The server's spelling counts; the model may have written another. */
function remainder({ sent, unsent, input }: Call): string {
  if (input.startsWith(sent)) return input.slice(sent.length);
  if (parseJson(sent) !== undefined) return "";
  if (parseJson(sent + unsent) !== undefined) return unsent;
  const text = "Cursor changed the arguments of a tool call after a part of them was sent. Try again.";
  throw new GatewayError("upstream_error", text);
}
