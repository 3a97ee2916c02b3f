import type { PageModel } from "../../../access/contract.js";
import { call, eventsOf, Problem } from "../../api/call.js";
import { Listeners } from "../../api/listeners.js";
import type { Picture } from "./picture.js";
import { Reply } from "./reply.js";
import { type Asking, type ChatBody, type Said, toBody, type UserMessage } from "./request-body.js";
import { defaultTool, type ToolDraft, toChatTool } from "./tool.js";

export type Item = Said<Reply>;

export interface ChatSettings extends Omit<Asking, "tool"> {
  readonly offersTool: boolean;
  readonly tool: ToolDraft;
}

/** Events of older replies are dropped. */
const REPLIES_WITH_EVENTS = 8;
const NO_DRAFT: UserMessage = { text: "", pictures: [] };

/** The conversation of the playground. Outlives the view, so that it survives switching views. */
export class Chat extends Listeners {
  readonly #send: typeof call;
  #models: readonly PageModel[] = [];
  #stopping = new AbortController();
  settings: ChatSettings = { model: "", effort: "", system: "", offersTool: false, tool: defaultTool };
  items: readonly Item[] = [];
  draft = NO_DRAFT;

  /** `send` posts a request. */
  constructor(send = call) {
    super();
    this.#send = send;
  }

  get model(): PageModel | undefined {
    return this.#models.find(({ id }) => id === this.settings.model);
  }

  get lastReply(): Reply | undefined {
    const last = this.items.findLast((item) => item.by === "model");
    return last?.reply;
  }

  get isRunning(): boolean {
    return this.lastReply?.isRunning === true;
  }

  get waiting(): Reply | undefined {
    const last = this.items.at(-1);
    return last?.by === "model" && last.reply.state === "complete" && last.reply.calls.length > 0
      ? last.reply
      : undefined;
  }

  /** Why nothing can be sent now; undefined if sending is possible. */
  get obstacle(): string | undefined {
    const { model, waiting } = this;
    if (model === undefined) return "Choose a model first.";
    if (waiting !== undefined) return "The model is waiting for a tool result: enter it above.";
    if (this.settings.offersTool && toChatTool(this.settings.tool) === undefined)
      return "The tool definition is invalid: fix it in the settings, or turn it off.";
    const hasPictures = this.pictureBytes > 0;
    if (hasPictures && !model.seesImages)
      return `${model.title} does not support images. Remove the image, or choose another model.`;
    return undefined;
  }

  get pictureBytes(): number {
    const messages = this.items.flatMap((item) => (item.by === "person" ? [item.message] : []));
    return [...messages, this.draft].flatMap(({ pictures }) => pictures).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get nextBody(): ChatBody {
    return this.#body([...this.items, { by: "person", message: this.draft }]);
  }

  /** Sets the available models. Selects the first if none is selected. */
  know(models: readonly PageModel[]): void {
    this.#models = models;
    this.set({ model: this.model?.id ?? models[0]?.id ?? "" });
  }

  set(settings: Partial<ChatSettings>): void {
    const next = { ...this.settings, ...settings };
    const model = this.#models.find(({ id }) => id === next.model);
    this.settings = { ...next, effort: model?.efforts.includes(next.effort) ? next.effort : "" };
    this.tell();
  }

  write(draft: Partial<UserMessage>): void {
    this.draft = { ...this.draft, ...draft };
    this.tell();
  }

  addPicture(picture: Picture): void {
    this.write({ pictures: [...this.draft.pictures, picture] });
  }

  /** Sends the draft. Returns whether it was sent. */
  send(): boolean {
    const { text, pictures } = this.draft;
    if (this.isRunning || this.obstacle !== undefined || (text.trim() === "" && pictures.length === 0)) return false;
    const message = this.draft;
    this.draft = NO_DRAFT;
    this.#ask([...this.items, { by: "person", message }]);
    return true;
  }

  answer(texts: readonly string[]): void {
    const results = this.waiting?.calls.map((call, index) => ({ call, text: texts[index] ?? "" }));
    if (results !== undefined) this.#ask([...this.items, { by: "tools", results }]);
  }

  again(): void {
    const last = this.items.at(-1);
    if (last?.by === "model" && !last.reply.isRunning) this.#ask(this.items.slice(0, -1));
  }

  stop(): void {
    this.#stopping.abort();
  }

  clear(): void {
    this.stop();
    this.items = [];
    this.tell();
  }

  #ask(items: readonly Item[]): void {
    const reply = new Reply(this.#body(items), () => performance.now());
    const replies = items.flatMap((item) => (item.by === "model" ? [item.reply] : []));
    for (const old of replies.slice(0, 1 - REPLIES_WITH_EVENTS)) old.events.forget();
    this.items = [...items, { by: "model", reply }];
    this.#stopping = new AbortController();
    this.tell();
    void ask(reply, this.#stopping.signal, this.#send).then(() => this.tell());
  }

  #body(items: readonly Item[]): ChatBody {
    const { model, effort, system, offersTool, tool } = this.settings;
    const chatTool = offersTool ? toChatTool(tool) : undefined;
    return toBody({ model, effort, system, tool: chatTool }, items);
  }
}

/** Yield to the browser after this much of a stream, even if more has arrived. */
const CHARS_AT_ONCE = 30_000;

/** Sends the request of a reply and fills the reply from the stream. Never rejects. */
async function ask(reply: Reply, signal: AbortSignal, send: typeof call): Promise<void> {
  try {
    const answer = await send("chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(reply.body),
      signal,
    });
    reply.begin(answer.headers);
    let chars = 0;
    for await (const { data } of eventsOf(answer)) {
      if (signal.aborted) break;
      reply.take(data);
      chars += data.length;
      if (chars < CHARS_AT_ONCE) continue;
      chars = 0;
      await nextTask();
    }
    if (signal.aborted) reply.stop();
    else reply.end();
  } catch (thrown) {
    if (signal.aborted) reply.stop();
    else if (thrown instanceof Problem) reply.fail(thrown);
    else reply.end();
  }
}

/** Unlike timers, messages are not throttled in hidden pages. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
