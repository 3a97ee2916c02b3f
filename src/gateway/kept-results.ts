import { z } from "zod";
import type { ClientCall } from "../backends/backend.js";
import type { Store } from "../store/index.js";
import { callFingerprint } from "../tools/loop-guard.js";
import type { SentBlock, SentResult } from "../turn/blocks.js";

type Call = Pick<ClientCall, "id" | "name" | "input">;

const Kept = z.object({
  isError: z.boolean(),
  content: z.array(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({ type: z.literal("image"), mimeType: z.string(), data: z.base64() }),
    ]),
  ),
});

/**
 * What the gateway's own tools gave while a run waits for the client. When that run is lost, the one that goes on in its place
 * asks for it again, by an id of its own.
 */
export class KeptResults {
  readonly #store: Pick<Store, "getNote" | "putNote" | "deleteNote">;
  readonly #owner: string;
  readonly #conversationId: string;

  constructor(store: Pick<Store, "getNote" | "putNote" | "deleteNote">, owner: string, conversationId: string) {
    this.#store = store;
    this.#owner = owner;
    this.#conversationId = conversationId;
  }

  put(call: Call, { content, isError }: SentResult): void {
    this.#store.putNote(this.#owner, this.#key(call), JSON.stringify({ isError, content: content.map(written) }));
  }

  /** Given out once: when the model asks the same again later, it wants to know how things are then. */
  take(call: Call): SentResult | undefined {
    const note = this.#store.getNote(this.#owner, this.#key(call));
    if (note === undefined) return undefined;
    this.forget(call);
    const kept = parseKept(note);
    return kept && { callId: call.id, content: kept.content.map(read), isError: kept.isError };
  }

  forget(call: Call): void {
    this.#store.deleteNote(this.#owner, this.#key(call));
  }

  #key({ name, input }: Call): string {
    return `ran ${this.#conversationId} ${callFingerprint(name, input)}`;
  }
}

/** Undefined for what another version has written: the tool is run again then. */
function parseKept(note: string): z.infer<typeof Kept> | undefined {
  try {
    return Kept.parse(JSON.parse(note));
  } catch {
    return undefined;
  }
}

function written(block: SentBlock): z.infer<typeof Kept>["content"][number] {
  return block.type === "text" ? block : { ...block, data: Buffer.from(block.data).toString("base64") };
}

function read(block: z.infer<typeof Kept>["content"][number]): SentBlock {
  return block.type === "text" ? block : { ...block, data: Buffer.from(block.data, "base64") };
}
