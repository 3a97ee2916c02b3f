import { GatewayError } from "../../../turn/error.js";
import { parseJson } from "../../../turn/read-json.js";
import type { ReplyWriter } from "../../exchange/index.js";
import type { Call } from "./call-record.js";

/**
 * Sends calls to the client while the model writes them. They go out one after another, because the inputs of two calls must not
 * interleave.
 */
export class CallTeller {
  /** Calls that the server has asked for, to be sent when no other call is being sent. */
  #ready: Call[] = [];
  /** Calls that have begun and are not sent in full, in the order in which they were made. */
  readonly #written = new Set<Call>();
  /** The call whose arguments are being sent. */
  #telling: Call | undefined;

  get telling(): Call | undefined {
    return this.#telling;
  }

  onNewStream(): void {
    this.#ready = [];
  }

  /** Adds the arguments that the model has written: the whole text so far, or only the new part. */
  write(call: Call, text: string, replies: ReplyWriter): void {
    this.#written.add(call);
    const seen = call.told + call.untold;
    call.untold += text.startsWith(seen) ? text.slice(seen.length) : text;
    this.#telling ??= call;
    if (this.#telling === call) tellInput(call, replies);
  }

  /**
   * Called when the call is complete. Ends the call being sent if that is complete too, then sends every other complete call,
   * then continues with the next one that is being written.
   * @throws GatewayError `upstream_error` when the server changed arguments that the client has received already.
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

/**
 * The arguments that the client does not have yet. The server's arguments are the authority; the model may have spelled them
 * differently.
 */
function remainder({ told, untold, input }: Call): string {
  if (input.startsWith(told)) return input.slice(told.length);
  if (parseJson(told) !== undefined) return "";
  if (parseJson(told + untold) !== undefined) return untold;
  throw new GatewayError(
    "upstream_error",
    "Cursor changed the arguments of a tool call while they were being told. Try again.",
  );
}
