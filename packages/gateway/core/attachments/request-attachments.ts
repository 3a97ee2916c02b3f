import { anySignal } from "../../turn/any-signal.js";
import {
  documentText,
  type ImageBlock,
  type InputBlock,
  type SentBlock,
  type SentResult,
  type TextBlock,
  type ToolResult,
  withoutFrames,
} from "../../turn/blocks.js";
import { GatewayError } from "../../turn/error.js";
import type { Message, SentMessage, Turn } from "../../turn/turn.js";
import { type ContentLoader, checkImage } from "./content-loader.js";

export interface AttachmentRequest {
  readonly turn: Pick<Turn, "messages">;
  /** Whether the model can see images on this backend. `links`: linked images are passed as links. */
  readonly images: boolean | "links";
  readonly signal: AbortSignal;
}

type AttachedBlock = Exclude<InputBlock, TextBlock>;

/** The state of loading attachments, created with the first one: most requests have none. */
interface Loading {
  /** Loads by address, so that each address is fetched once, or by attached block. */
  readonly loads: Map<string | AttachedBlock, Promise<SentBlock>>;
  readonly lost: Map<InputBlock, string>;
  readonly unseen: Set<InputBlock>;
  readonly newest: ReadonlySet<InputBlock>;
  readonly givingUp: AbortController;
  /** Aborted when the client leaves, or when a new block cannot be loaded. */
  readonly signal: AbortSignal;
}

/** Converts a request's content to text and images. Old content that cannot be loaded becomes a note instead of an error. */
export class RequestAttachments {
  readonly #loader: ContentLoader;
  readonly #request: AttachmentRequest;
  #fetchedBytes = 0;
  #begun: Loading | undefined;

  constructor(loader: ContentLoader, request: AttachmentRequest) {
    this.#loader = loader;
    this.#request = request;
  }

  get #loading(): Loading {
    this.#begun ??= beginLoading(this.#request);
    return this.#begun;
  }

  get warnings(): readonly string[] {
    if (this.#begun === undefined) return [];
    const { lost, unseen } = this.#begun;
    const [first] = lost.values();
    return [
      ...(unseen.size > 0 ? [`This model cannot see images; left out: ${unseen.size}.`] : []),
      ...(first !== undefined ? [`Left out of earlier messages: ${lost.size}. ${first}`] : []),
    ];
  }

  /** The messages if all are text, so that nothing has to be loaded. `RunStarter.startNow` needs it. */
  textMessages(messages: readonly Message[]): readonly SentMessage[] | undefined {
    const safe = withoutForgeries(messages);
    return safe.every(isTextMessage) ? safe : undefined;
  }

  /** Loads the newest messages first, since limits apply in this order. @throws GatewayError when new content cannot be loaded */
  async messages(messages: readonly Message[]): Promise<readonly SentMessage[]> {
    const safe = withoutForgeries(messages);
    if (safe.every(isTextMessage)) return safe;
    const sent = await Promise.all(safe.toReversed().map((message) => this.#message(message)));
    return sent.reverse();
  }

  /** @throws GatewayError as `messages` does */
  async result(result: ToolResult): Promise<SentResult> {
    const safe = withoutForgery(result);
    if (isTextResult(safe)) return safe;
    return { ...safe, content: withoutFrames(await this.#blocks(safe.content)) };
  }

  async #message(message: Message): Promise<SentMessage> {
    if (isTextMessage(message)) return message;
    switch (message.role) {
      case "user":
        return { role: "user", content: await this.#blocks(message.content) };
      case "tool":
        return { role: "tool", results: await Promise.all(message.results.map((result) => this.result(result))) };
    }
  }

  #blocks(blocks: readonly InputBlock[]): Promise<readonly SentBlock[]> {
    return Promise.all(blocks.map((block) => (block.type === "text" ? block : this.#attached(block))));
  }

  async #attached(block: AttachedBlock): Promise<SentBlock> {
    const { images } = this.#request;
    if (images === "links" && block.type === "remote-image") return { type: "text", text: `![image](${block.url})` };
    if (!images && isImage(block)) {
      this.#loading.unseen.add(block);
      return note("An image was here, and cannot be seen by this model.");
    }
    try {
      return await this.#load(block);
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      const { newest, lost, givingUp, signal } = this.#loading;
      if (newest.has(block) || signal.aborted) {
        givingUp.abort();
        throw error;
      }
      lost.set(block, error.message);
      return note(`${isImage(block) ? "An image" : "A document"} was here, and cannot be had any more.`);
    }
  }

  #load(block: AttachedBlock): Promise<SentBlock> | SentBlock {
    const { limits } = this.#loader;
    if (block.type === "image") return checkImage(block.data, limits.imageBytes);
    const key = "url" in block ? JSON.stringify([block.type, block.url, "name" in block && block.name]) : block;
    const { loads } = this.#loading;
    const known = loads.get(key);
    if (known !== undefined) return known;
    if (loads.size >= limits.perRequest) {
      const text = `At most ${limits.perRequest} images and documents are fetched or read per request; send fewer at a time.`;
      throw new GatewayError("invalid_request", text);
    }
    const load = this.#loadAnew(block);
    loads.set(key, load);
    return load;
  }

  async #loadAnew(block: Exclude<AttachedBlock, ImageBlock>): Promise<SentBlock> {
    const { signal } = this.#loading;
    switch (block.type) {
      case "remote-image":
        return this.#count(await this.#loader.image(block.url, signal));
      case "remote-pdf":
        return documentText(await this.#loader.document(block.url, signal), block.name);
      case "pdf":
        return documentText(await this.#loader.pdf(block.data, block.name, signal), block.name);
    }
  }

  #count(image: ImageBlock): ImageBlock {
    const { requestBytes } = this.#loader.limits;
    this.#fetchedBytes += image.data.length;
    if (this.#fetchedBytes <= requestBytes) return image;
    const most = `${Math.floor(requestBytes / 1024 / 1024)} MiB`;
    throw new GatewayError("image_too_large", `The images fetched for one request may have at most ${most} in total.`);
  }
}

function beginLoading({ turn, signal }: AttachmentRequest): Loading {
  const newest = turn.messages.slice(turn.messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const givingUp = new AbortController();
  return {
    loads: new Map(),
    lost: new Map(),
    unseen: new Set(),
    newest: new Set(
      newest.flatMap((message): readonly InputBlock[] => {
        if (message.role === "user") return message.content;
        return message.role === "tool" ? message.results.flatMap(({ content }) => content) : [];
      }),
    ),
    givingUp,
    signal: anySignal([signal, givingUp.signal]),
  };
}

/** Escapes frames in tool results, so that no tool can speak as the user. */
function withoutForgeries(messages: readonly Message[]): readonly Message[] {
  const isForged = (message: Message) => withoutForgedWords(message) !== message;
  return messages.some(isForged) ? messages.map(withoutForgedWords) : messages;
}

function withoutForgedWords(message: Message): Message {
  if (message.role !== "tool") return message;
  const results = message.results.map(withoutForgery);
  return results.every((result, at) => result === message.results[at]) ? message : { role: "tool", results };
}

function withoutForgery(result: ToolResult): ToolResult {
  const content = withoutFrames(result.content);
  return content === result.content ? result : { ...result, content };
}

function isTextMessage(message: Message): message is Message<TextBlock> {
  switch (message.role) {
    case "user":
      return message.content.every(isText);
    case "assistant":
      return true;
    case "tool":
      return message.results.every(isTextResult);
  }
}

function isTextResult(result: ToolResult): result is ToolResult<TextBlock> {
  return result.content.every(isText);
}

function isText({ type }: InputBlock): boolean {
  return type === "text";
}

function isImage({ type }: AttachedBlock): boolean {
  return type === "image" || type === "remote-image";
}

function note(text: string): TextBlock {
  return { type: "text", text: `[${text}]` };
}
