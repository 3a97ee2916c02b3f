import { type Batch, toCall, toText } from "../../../turn/event.js";
import { field, listField, textField } from "../../../turn/read-json.js";
import { SERVER_NAME } from "../mcp/approvals.js";

const MAX_SUMMARY = 2_000;

/** Converts the updates of one turn to events. Calls of the client's tools come through the MCP server and are left out here. */
export class UpdateDecoder {
  /** Calls that the CLI makes itself. Later updates of a call do not say whose it is. */
  readonly #own = new Set<string>();

  push(update: unknown): Batch {
    switch (textField(update, "sessionUpdate")) {
      case "agent_message_chunk":
        return toText(textField(field(update, "content"), "text"));
      case "agent_thought_chunk":
        return toText(textField(field(update, "content"), "text"), "thinking");
      case "tool_call":
        return isClientTool(update) ? [] : this.#begun(update);
      case "tool_call_update":
        return this.#ended(update);
      default:
        return []; // plans, modes, commands, and updates of newer builds
    }
  }

  #begun(update: unknown): Batch {
    const id = textField(update, "toolCallId");
    if (id === "" || this.#own.has(id)) return [];
    this.#own.add(id);
    const name = textField(update, "kind") || textField(update, "title") || "tool";
    return toCall({ id, name, input: JSON.stringify(field(update, "rawInput") ?? {}), runs: "backend" });
  }

  #ended(update: unknown): Batch {
    const id = textField(update, "toolCallId");
    const status = textField(update, "status");
    if ((status !== "completed" && status !== "failed") || !this.#own.delete(id)) return [];
    const words = listField(update, "content").map((each) => textField(field(each, "content"), "text"));
    const output = field(update, "rawOutput");
    const summary = words.join("") || (output === undefined ? status : JSON.stringify(output));
    return [{ type: "call-result", id, summary: summary.slice(0, MAX_SUMMARY) }];
  }
}

/** Whether a call, or the question for its permission, is about a client's tool. Older builds say only `MCP: tool`. */
export function isClientTool(call: unknown): boolean {
  const title = textField(call, "title");
  const kind = textField(call, "kind");
  if (kind !== "other" && kind !== "") return false;
  return title.startsWith("MCP") || title.startsWith(`${SERVER_NAME}:`) || title.startsWith(`${SERVER_NAME}-`);
}

/** A failure in the answer: a minified class, and a Connect code (docs/protocol/wire.md, command line). */
const FAILURE = /^\s*Error: (\w+: \[\w+\]|ActionRequiredError: )/;
const BEGINNING = "Error:";
const FENCE = /^\s*(```|~~~)/;
/** Error messages are shorter than this; a longer line is the model's own. */
const MAX_HELD = 4_096;
/** The part of a line that is examined: a line may have megabytes and come word by word. */
const LOOKED_AT = 200;

/** Over ACP, the last line of a good answer may be a failure. Such a line is held back until more text disproves it. */
export class ErrorLine {
  #line = "";
  #held = "";
  #isFenced = false;

  push(delta: string): string {
    let sure = "";
    for (const piece of delta.split(/(?<=\n)/)) sure += this.#pushPiece(piece);
    return sure;
  }

  /** Called when something else follows the text, so the held line is not a failure. Returns it. */
  disprove(): string {
    this.#line = "";
    return this.#release();
  }

  /** Called when no more text comes. The held text is either the failure or still part of the answer. */
  end(): { text: string; failure: string | undefined } {
    const held = this.#held;
    this.#held = "";
    return FAILURE.test(held) ? { text: "", failure: held.trim() } : { text: held, failure: undefined };
  }

  #pushPiece(piece: string): string {
    const isMore = this.#line === "" && piece.trim() !== "" && FAILURE.test(this.#held);
    const sure = isMore ? this.#release() : "";
    const isWhole = piece.endsWith("\n");
    if (this.#line.length < LOOKED_AT) this.#line += piece.slice(0, LOOKED_AT);
    this.#held += piece;
    const said = this.#isPlain(isWhole) ? this.#releaseLine() : "";
    if (isWhole) {
      if (FENCE.test(this.#line)) this.#isFenced = !this.#isFenced;
      this.#line = "";
    }
    return sure + said;
  }

  #isPlain(isWhole: boolean): boolean {
    if (this.#isFenced || this.#held.length > MAX_HELD) return true;
    const start = this.#line.trimStart();
    if (start === "") return false;
    if (isWhole) return !FAILURE.test(start);
    return !start.startsWith(BEGINNING) && !BEGINNING.startsWith(start.trimEnd());
  }

  /** The end of the line stays held, because a failure may follow. */
  #releaseLine(): string {
    const text = this.#release();
    const at = text.trimEnd().length;
    // More blank lines than precede a failure are the model's own. Holding them would examine them again with each further line.
    if (!text.includes("\n", at) || text.length - at > MAX_HELD) return text;
    this.#held = text.slice(at);
    return text.slice(0, at);
  }

  #release(): string {
    const text = this.#held;
    this.#held = "";
    return text;
  }
}
