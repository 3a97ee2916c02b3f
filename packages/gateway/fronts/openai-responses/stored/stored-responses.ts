import { z } from "zod";
import { GatewayError } from "../../../turn/error.js";
import { MAX_MESSAGES } from "../../../turn/request-limits.js";
import { Slices } from "../../../turn/slices.js";
import type { ReplyStore } from "../../front.js";
import { invalidField } from "../../parts/query.js";
import { deleteLongText, getLongText, putLongText } from "./long-text.js";

export const StoredItem = z.looseObject({ id: z.string() });
const StoredResponse = z.object({
  response: z.looseObject({
    id: z.string(),
    previous_response_id: z.string().nullable(),
    conversation: z.object({ id: z.string() }).optional(),
    output: z.array(StoredItem),
  }),
  /** The input of the request itself; everything before it is kept with the previous response. */
  input: z.array(StoredItem),
});

export type StoredItem = z.infer<typeof StoredItem>;
type StoredResponse = z.infer<typeof StoredResponse>;

/** Bounds the work of one request; longer than any conversation that fits a model. */
const MAX_CHAIN = 1_000;
export const MAX_CHARACTERS = 64 * 1024 * 1024;
export const MAX_MIB = `${MAX_CHARACTERS / 1024 / 1024} MiB`;

export class StoredResponses {
  readonly #store: ReplyStore;

  constructor(store: ReplyStore) {
    this.#store = store;
  }

  get(id: string): StoredResponse | undefined {
    return this.#read(id)?.stored;
  }

  /** A response that need not be stored is kept only with its connection, if any. */
  *put(response: { id: string }, input: readonly StoredItem[], isStored: boolean): Generator<undefined, undefined> {
    const { connection } = this.#store;
    if (!isStored && connection === undefined) return;
    const items = yield* toJson(input);
    const text = `{"response":${JSON.stringify(response)},"input":[${items.join(",")}]}`;
    if (isStored) yield* putLongText(this.#store.lasting, response.id, text);
    else connection?.put(response.id, text);
  }

  delete(id: string): boolean {
    return isResponseId(id) && deleteLongText(this.#store.lasting, id);
  }

  /** The whole conversation up to the end of a response, as items. @throws {GatewayError} `response_not_found`. */
  history(id: string): StoredItem[] {
    const links: StoredItem[][] = [];
    let characters = 0;
    for (let next: string | null = id; next !== null; ) {
      const link = this.#read(next);
      if (link === undefined) throw previousNotFound(id, next);
      characters += link.characters;
      if (links.length >= MAX_CHAIN || characters > MAX_CHARACTERS) throw chainTooLong();
      const { response, input } = link.stored;
      if (response.conversation) {
        const problem = `response '${next}' is part of a conversation. Send conversation: "${response.conversation.id}" instead`;
        throw invalidField("previous_response_id", problem);
      }
      if (isBeingMade(response)) {
        const problem = `response '${next}' is still being made. Wait until its status is completed, or cancel it`;
        throw invalidField("previous_response_id", problem);
      }
      links.push([...input, ...response.output]);
      next = response.previous_response_id;
    }
    return links.reverse().flat();
  }

  /** Finds items by reference: their ids contain the id of the response, which is read once for all its items. */
  itemFinder(): (id: string) => StoredItem | undefined {
    const items = new Map<string, StoredItem>();
    const read = new Set<string>();
    let characters = 0;
    return (id) => {
      const responseId = /^[a-z]+_(\w+)_(?:in)?\d+$/.exec(id)?.[1];
      if (responseId !== undefined && !read.has(responseId)) {
        read.add(responseId);
        const found = this.#read(`resp_${responseId}`);
        characters += found?.characters ?? 0;
        if (characters > MAX_CHARACTERS) {
          const problem = `the responses whose items it names have more than ${MAX_MIB} together. Send the items themselves`;
          throw invalidField("input", problem);
        }
        const { input = [], response } = found?.stored ?? {};
        for (const item of [...input, ...(response?.output ?? [])]) if (!items.has(item.id)) items.set(item.id, item);
      }
      return items.get(id);
    };
  }

  #read(id: string): { stored: StoredResponse; characters: number } | undefined {
    const text = isResponseId(id)
      ? (this.#store.connection?.get(id) ?? getLongText(this.#store.lasting, id))
      : undefined;
    if (text === undefined) return undefined;
    const { response, input } = StoredResponse.parse(JSON.parse(text));
    const isAlone = isBeingMade(response) && this.#store.background?.(id)?.hasEnded !== false;
    return {
      stored: { response: isAlone ? { ...response, ...brokenOff } : response, input },
      characters: text.length,
    };
  }
}

/** Yields where other requests should run before the rest. */
export function* toJson(items: readonly StoredItem[]): Generator<undefined, string[]> {
  const json: string[] = [];
  const slices = new Slices();
  for (const item of items) {
    const text = JSON.stringify(item);
    if (slices.isFullBeforeText(text.length)) yield;
    json.push(text);
  }
  return json;
}

function isBeingMade({ status }: StoredResponse["response"]): boolean {
  return status === "queued" || status === "in_progress";
}

const brokenOff = {
  status: "failed",
  error: {
    code: "server_error",
    message: "The gateway was stopped before this response was complete, and its run is gone. Send the request again.",
  },
};

function isResponseId(id: string): boolean {
  return /^resp_\w{1,100}$/.test(id);
}

function previousNotFound(id: string, missing: string): GatewayError {
  const shown = (each: string) => `'${each.slice(0, 100)}'`;
  const why =
    id === missing
      ? "It was not stored, was deleted, or is too old."
      : `The response ${shown(missing)} before it is no longer stored.`;
  return new GatewayError(
    "response_not_found",
    `Previous response with id ${shown(id)} not found. ${why} Send the whole conversation as input instead.`,
    { param: "previous_response_id" },
  );
}

export function chainTooLong(): GatewayError {
  return new GatewayError(
    "invalid_request",
    `The conversation before previous_response_id is too long: at most ${MAX_CHAIN} responses, ${MAX_MESSAGES} items and ` +
      `${MAX_MIB}. Start a new one, with a summary of this one as input.`,
    { param: "previous_response_id" },
  );
}
