import { type FrameWriter, writeFrame } from "../frame.js";
import { OWN_SIGNATURE, toFrame, toTextBlock, toToolUse } from "./message.js";

type Kind = "text" | "thinking" | "call";

const deltas: Readonly<Record<Kind, string>> = {
  text: '{"type":"text_delta","text":',
  thinking: '{"type":"thinking_delta","thinking":',
  call: '{"type":"input_json_delta","partial_json":',
};

/**
 * The content blocks of one streamed reply. They are numbered, and no two are open at once. Everything of a delta except its
 * text is written once per block; a test keeps the result equal to the plain JSON of each event.
 */
export class BlockFrames {
  readonly #out: FrameWriter;
  readonly #afterDelta: string;
  #index = -1;
  #open: Kind | undefined;
  #beforeDelta = "";
  #callId: string | undefined;
  #hasDelta = false;
  #signature: string | undefined;

  constructor(out: FrameWriter) {
    this.#out = out;
    this.#afterDelta = `}}${out.after}`;
  }

  /** The call whose arguments are being streamed. */
  get openCallId(): string | undefined {
    return this.#open === "call" ? this.#callId : undefined;
  }

  openText(): void {
    if (this.#open !== "text") this.#begin("text", toTextBlock(""));
  }

  openThinking(signature: string | undefined): void {
    if (this.#open !== "thinking") this.#begin("thinking", { type: "thinking", thinking: "", signature: "" });
    this.#signature = signature ?? this.#signature;
  }

  openCall(id: string, name: string): void {
    this.#callId = id;
    this.#begin("call", toToolUse(id, name, {}));
  }

  /** Writes more of the open block. */
  delta(text: string): void {
    if (text === "") return;
    this.#hasDelta = true;
    this.#out.write(this.#beforeDelta + JSON.stringify(text) + this.#afterDelta);
  }

  close(): void {
    if (this.#open === undefined) return;
    // Clients parse the arguments that they collected, and an empty string is not JSON.
    if (this.#open === "call" && !this.#hasDelta) this.delta("{}");
    if (this.#open === "thinking") this.#sign();
    this.#open = undefined;
    writeFrame(this.#out, toFrame({ type: "content_block_stop", index: this.#index }));
  }

  #begin(kind: Kind, content_block: object): void {
    this.close();
    this.#index++;
    this.#open = kind;
    this.#hasDelta = false;
    this.#signature = undefined;
    const before = this.#out.before("content_block_delta");
    this.#beforeDelta = `${before}{"type":"content_block_delta","index":${this.#index},"delta":${deltas[kind]}`;
    writeFrame(this.#out, toFrame({ type: "content_block_start", index: this.#index, content_block }));
  }

  #sign(): void {
    const delta = { type: "signature_delta", signature: this.#signature ?? OWN_SIGNATURE };
    writeFrame(this.#out, toFrame({ type: "content_block_delta", index: this.#index, delta }));
  }
}
