import type { ImageBlock, InputBlock, SentBlock, SentResult, TextBlock, ToolResult } from "../turn/blocks.js";
import { documentText } from "../turn/document-text.js";
import { GatewayError } from "../turn/error.js";
import type { Message, SentMessage, Turn } from "../turn/turn.js";
import { checkImage } from "./check-image.js";
import type { ContentLoader } from "./content-loader.js";

export interface AttachmentWish {
  readonly turn: Pick<Turn, "messages">;
  /** Whether the model, on this backend, can see images at all. */
  readonly canSeeImages: boolean;
  readonly signal: AbortSignal;
}

type AttachedBlock = Exclude<InputBlock, TextBlock>;

/**
 * What one request says, in the form in which a backend gets it: text and images alone. Only what really goes upstream
 * comes by here. What is new must be there; what was said before the model's last words is replaced by a note where it can
 * not be had any more, since an address that has expired is no reason to end a conversation.
 */
export class RequestAttachments {
  readonly #loader: ContentLoader;
  readonly #canSeeImages: boolean;
  readonly #newest: ReadonlySet<InputBlock>;
  /** By the address, so that one which stands in several places is fetched once; what came along, by itself. */
  readonly #loads = new Map<string | AttachedBlock, Promise<SentBlock>>();
  readonly #givingUp = new AbortController();
  readonly #signal: AbortSignal;
  readonly #lost = new Map<InputBlock, string>();
  readonly #unseen = new Set<InputBlock>();
  #fetchedBytes = 0;

  constructor(loader: ContentLoader, { turn, canSeeImages, signal }: AttachmentWish) {
    this.#loader = loader;
    this.#canSeeImages = canSeeImages;
    this.#signal = AbortSignal.any([signal, this.#givingUp.signal]);
    const newest = turn.messages.slice(turn.messages.findLastIndex(({ role }) => role === "assistant") + 1);
    this.#newest = new Set(newest.flatMap(blocksOf));
  }

  /** What the client should know, each as a sentence. */
  get warnings(): readonly string[] {
    const [first] = this.#lost.values();
    return [
      ...(this.#unseen.size > 0 ? [`This model cannot see images; left out: ${this.#unseen.size}.`] : []),
      ...(first !== undefined ? [`Left out of earlier messages: ${this.#lost.size}. ${first}`] : []),
    ];
  }

  /** The newest first: what a request may cost is spent on them before it is spent on history. */
  async messages(messages: readonly Message[]): Promise<readonly SentMessage[]> {
    const sent = await Promise.all(messages.toReversed().map((message) => this.#message(message)));
    return sent.reverse();
  }

  async result(result: ToolResult): Promise<SentResult> {
    return { ...result, content: await this.#blocks(result.content) };
  }

  async #message(message: Message): Promise<SentMessage> {
    switch (message.role) {
      case "user":
        return { role: "user", content: await this.#blocks(message.content) };
      case "assistant":
        return message;
      case "tool":
        return { role: "tool", results: await Promise.all(message.results.map((result) => this.result(result))) };
    }
  }

  #blocks(blocks: readonly InputBlock[]): Promise<readonly SentBlock[]> {
    return Promise.all(blocks.map((block) => (block.type === "text" ? block : this.#attached(block))));
  }

  async #attached(block: AttachedBlock): Promise<SentBlock> {
    if (!this.#canSeeImages && isImage(block)) {
      this.#unseen.add(block);
      return note("An image was here, and cannot be seen by this model.");
    }
    try {
      return await this.#load(block);
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      if (this.#newest.has(block) || this.#signal.aborted) {
        this.#givingUp.abort();
        throw error;
      }
      this.#lost.set(block, error.message);
      return note(`${isImage(block) ? "An image" : "A document"} was here, and cannot be had any more.`);
    }
  }

  #load(block: AttachedBlock): Promise<SentBlock> | SentBlock {
    const { limits } = this.#loader;
    if (block.type === "image") return checkImage(block.data, limits.imageBytes);
    const key = "url" in block ? JSON.stringify([block.type, block.url, "name" in block && block.name]) : block;
    const known = this.#loads.get(key);
    if (known !== undefined) return known;
    if (this.#loads.size >= limits.perRequest) throw tooMany(limits.perRequest);
    const load = this.#loadAnew(block);
    this.#loads.set(key, load);
    return load;
  }

  async #loadAnew(block: Exclude<AttachedBlock, ImageBlock>): Promise<SentBlock> {
    switch (block.type) {
      case "remote-image":
        return this.#count(await this.#loader.image(block.url, this.#signal));
      case "remote-pdf":
        return documentText(await this.#loader.document(block.url, this.#signal), block.name);
      case "pdf":
        return documentText(await this.#loader.pdf(block.data, block.name, this.#signal), block.name);
    }
  }

  #count(image: ImageBlock): ImageBlock {
    const { requestBytes } = this.#loader.limits;
    this.#fetchedBytes += image.data.length;
    if (this.#fetchedBytes <= requestBytes) return image;
    const most = `${Math.floor(requestBytes / 1024 / 1024)} MiB`;
    throw new GatewayError(
      "image_too_large",
      `The images of a request that are to be fetched may have ${most} together.`,
    );
  }
}

function blocksOf(message: Message): readonly InputBlock[] {
  if (message.role === "user") return message.content;
  return message.role === "tool" ? message.results.flatMap(({ content }) => content) : [];
}

function isImage({ type }: AttachedBlock): boolean {
  return type === "image" || type === "remote-image";
}

function note(text: string): TextBlock {
  return { type: "text", text: `[${text}]` };
}

function tooMany(most: number): GatewayError {
  const text = `At most ${most} images and documents are fetched or read for one request; send fewer at a time.`;
  return new GatewayError("invalid_request", text);
}
