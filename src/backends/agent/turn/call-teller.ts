import { GatewayError } from "../../../turn/error.js";
import { parseJson } from "../../../turn/read-json.js";
import type { ReplyWriter } from "../../exchange/index.js";
import type { Call } from "./call-record.js";

/** Tells the client of calls, each while the model writes it: one after another, since inputs of two calls never interleave. */
export class CallTeller {
  /** Asked, and to be told as soon as no other is being told. */
  #ready: Call[] = [];
  /** Begun to be written and not told in full; in the order in which they were made. */
  readonly #written = new Set<Call>();
  /** The one whose arguments are being told. */
  #telling: Call | undefined;

  get telling(): Call | undefined {
    return this.#telling;
  }

  onNewStream(): void {
    this.#ready = [];
  }

  /** The arguments as far as the model has written them: the whole text so far, or what is new in it. */
  write(call: Call, text: string, replies: ReplyWriter): void {
    this.#written.add(call);
    const seen = call.told + call.untold;
    call.untold += text.startsWith(seen) ? text.slice(seen.length) : text;
    this.#telling ??= call;
    if (this.#telling === call) tellInput(call, replies);
  }

  /**
   * The call is whole. Ends the one being told if that is whole too, then tells every other that is, then begins with the next
   * that is being written.
   */
  tell(call: Call, replies: ReplyWriter): void {
    this.#ready.push(call);
    if (this.#telling !== undefined && this.#telling.asked === undefined) return;
    const ready = this.#ready.sort((a, b) => a.at - b.at);
    this.#ready = [];
    for (const each of this.#telling === undefined ? ready : [this.#telling, ...ready]) {
      this.#written.delete(each);
      if (each.stage !== "told") tellWhole(each, replies);
    }
    this.#telling = undefined;
    for (const each of this.#written) {
      if (each.untold === "") continue;
      this.#telling = each;
      tellInput(each, replies);
      return;
    }
  }
}

function tellWhole(call: Call, replies: ReplyWriter): void {
  call.untold = remainder(call);
  tellInput(call, replies);
  replies.endCall(call.id);
  call.stage = "told";
}

function tellInput(call: Call, replies: ReplyWriter): void {
  if (call.stage === "untold") {
    call.stage = "telling";
    replies.beginCall(call.id, call.name);
  }
  if (call.untold === "") return;
  replies.writeInput(call.id, call.untold);
  call.told += call.untold;
  call.untold = "";
}

/** What the client has not been told yet. The server's arguments are the authority; what the model wrote may be spelled otherwise. */
function remainder({ told, untold, input }: Call): string {
  if (input.startsWith(told)) return input.slice(told.length);
  if (parseJson(told) !== undefined) return "";
  if (parseJson(told + untold) !== undefined) return untold;
  throw new GatewayError(
    "upstream_error",
    "Cursor changed the arguments of a tool call while they were being told. Try again.",
  );
}
