import { z } from "zod";
import type { TextStore } from "../../../core/index.js";
import { GatewayError } from "../../../turn/error.js";
import { MAX_MESSAGES } from "../../../turn/request-limits.js";
import { Slices } from "../../../turn/slices.js";
import type { ReplyStore } from "../../front.js";
import { invalidField } from "../../parts/query.js";

const StoredItem = z.looseObject({ id: z.string() });
const StoredResponse = z.object({
  response: z.looseObject({
    id: z.string(),
    previous_response_id: z.string().nullable(),
    output: z.array(StoredItem),
  }),
  /** The input of the request itself; everything before it is kept with the previous response. */
  input: z.array(StoredItem),
});

export type StoredItem = z.infer<typeof StoredItem>;
type StoredResponse = z.infer<typeof StoredResponse>;

/** Bounds the work of one request; longer than any conversation that fits a model. */
const MAX_CHAIN = 1_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_MIB = `${MAX_CHARACTERS / 1024 / 1024} MiB`;

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
    const items: string[] = [];
    const slices = new Slices();
    for (const item of input) {
      const json = JSON.stringify(item);
      if (slices.isFullBeforeText(json.length)) yield;
      items.push(json);
    }
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

/** A text in the store has at most 8 MiB, and a character takes at most three bytes. */
const PART_CHARACTERS = 2 * 1024 * 1024;

/** Long texts (they may contain images) are stored in parts. The first part says how many there are. */
function getLongText(store: TextStore, id: string): string | undefined {
  const head = store.get(id);
  if (head === undefined) return undefined;
  const parts = [head.slice(head.indexOf("\n") + 1)];
  for (let part = 1; part < countOf(head); part++) {
    const text = store.get(partId(id, part));
    if (text === undefined) return undefined; // it was too large for the store
    parts.push(text);
  }
  return parts.join("");
}

/** Yields between two parts, so that other requests can run. */
function* putLongText(store: TextStore, id: string, text: string): Generator<undefined, undefined> {
  const parts = split(text);
  // The first part is written last: a text without it does not exist.
  for (const [part, each] of parts.entries()) {
    if (part === 0) continue;
    yield;
    store.put(partId(id, part), each);
  }
  if (parts.length > 1) yield;
  store.put(id, `${parts.length}\n${parts[0] ?? ""}`);
}

function deleteLongText(store: TextStore, id: string): boolean {
  const count = countOf(store.get(id) ?? "");
  for (let part = 1; part < count; part++) store.delete(partId(id, part));
  return store.delete(id);
}

function split(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + PART_CHARACTERS;
    // A part never ends between the two halves of a surrogate pair.
    const isHalf = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
    parts.push(text.slice(at, isHalf ? end - 1 : end));
    at = isHalf ? end - 1 : end;
  }
  return parts;
}

function countOf(head: string): number {
  return Number.parseInt(head, 10) || 0;
}

function partId(id: string, part: number): string {
  return `${id} part ${part}`;
}
