import { toFrame } from "./frame.js";
import { toTextBlock, toToolUse } from "./message.js";
import { OWN_SIGNATURE } from "./signature.js";

type Kind = "text" | "thinking" | "call";

const deltas: Readonly<Record<Kind, string>> = {
  text: '{"type":"text_delta","text":',
  thinking: '{"type":"thinking_delta","thinking":',
  call: '{"type":"input_json_delta","partial_json":',
};

/**
 * The content blocks of one streamed reply: numbered, and never two open at once. Everything of a delta but the text
 * itself is written once per block; a test keeps the result equal to the plain JSON of each event.
 */
export class BlockFrames {
  #index = -1;
  #open: Kind | undefined;
  #beforeDelta = "";
  #callId: string | undefined;
  #hasDelta = false;
  #signature: string | undefined;

  /** The call whose arguments are being told. */
  get openCallId(): string | undefined {
    return this.#open === "call" ? this.#callId : undefined;
  }

  openText(): string {
    return this.#open === "text" ? "" : this.#begin("text", toTextBlock(""));
  }

  openThinking(signature: string | undefined): string {
    const opening =
      this.#open === "thinking" ? "" : this.#begin("thinking", { type: "thinking", thinking: "", signature: "" });
    this.#signature = signature ?? this.#signature;
    return opening;
  }

  openCall(id: string, name: string): string {
    this.#callId = id;
    return this.#begin("call", toToolUse(id, name, {}));
  }

  /** More of the open block. */
  delta(text: string): string {
    if (text === "") return "";
    this.#hasDelta = true;
    return `${this.#beforeDelta}${JSON.stringify(text)}}}\n\n`;
  }

  close(): string {
    if (this.#open === undefined) return "";
    // Clients parse what they collected, and nothing at all is not JSON.
    const rest = this.#open === "call" && !this.#hasDelta ? this.delta("{}") : this.#sign();
    this.#open = undefined;
    return rest + toFrame({ type: "content_block_stop", index: this.#index });
  }

  #begin(kind: Kind, content_block: object): string {
    const frames = this.close();
    this.#index++;
    this.#open = kind;
    this.#hasDelta = false;
    this.#signature = undefined;
    this.#beforeDelta = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},"delta":${deltas[kind]}`;
    return frames + toFrame({ type: "content_block_start", index: this.#index, content_block });
  }

  #sign(): string {
    if (this.#open !== "thinking") return "";
    const delta = { type: "signature_delta", signature: this.#signature ?? OWN_SIGNATURE };
    return toFrame({ type: "content_block_delta", index: this.#index, delta });
  }
}
