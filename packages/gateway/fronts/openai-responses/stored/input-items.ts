import { z } from "zod";
import type { SlicedWork } from "../../../turn/slices.js";
import type { ReplyStore } from "../../front.js";
import { itemPrefixes } from "../items/output-item.js";
import type { ResponsesRequest } from "../schema.js";
import type { EchoedSettings } from "../settings.js";
import { StoredConversations } from "./stored-conversations.js";
import { type StoredItem, StoredResponses } from "./stored-responses.js";

export type RawItem = Readonly<Record<string, unknown>>;

const prefixes: Readonly<Record<string, string>> = {
  ...itemPrefixes,
  function_call_output: "fco",
  custom_tool_call_output: "ctco",
  shell_call_output: "sho",
  local_shell_call_output: "lsho",
  apply_patch_call_output: "apco",
  computer_call_output: "cuo",
};

/** The items of a request as they came, with references replaced by the stored items. */
export function resolveItems(
  input: ResponsesRequest["input"],
  stored: StoredResponses,
): { items: readonly RawItem[]; missing: number } {
  if (typeof input === "string") return { items: [{ type: "message", role: "user", content: input }], missing: 0 };
  let missing = 0;
  const findItem = stored.itemFinder();
  const items = (input ?? []).flatMap((item): RawItem[] => {
    if (!isReference(item)) return [item];
    const found = findItem(item.id);
    if (found === undefined) missing++;
    return found === undefined ? [] : [found];
  });
  return { items, missing };
}

const ImagePart = z.looseObject({ type: z.literal("input_image"), detail: z.unknown().optional() });

interface Kept {
  readonly settings: Pick<EchoedSettings, "store" | "conversation">;
  readonly items: readonly RawItem[];
}

/** Keeps a response with its input. One that is complete is also added to the end of its conversation, if it has one. */
export function* keepResponse(
  response: { readonly id: string; readonly status: string; readonly output: readonly StoredItem[] },
  { settings, items }: Kept,
  store: ReplyStore,
): SlicedWork<undefined> {
  const { id, status, output } = response;
  yield* new StoredResponses(store).put(response, toStoredItems(items, id), settings.store);
  const { conversation } = settings;
  if (conversation === undefined || (status !== "completed" && status !== "incomplete")) return;
  yield* new StoredConversations(store).append(conversation.id, [...toNewItems(items, id), ...output], id);
}

/** The same with ids that are new: a client may send an item of a conversation again. */
export function toNewItems(items: readonly RawItem[], ownerId: string): StoredItem[] {
  const unnamed = items.map(({ id: _, ...item }) => item);
  return toStoredItems(unnamed, ownerId);
}

/** The items as they are stored and listed: each has an id, and messages have parts. */
function toStoredItems(items: readonly RawItem[], ownerId: string): StoredItem[] {
  const replyId = ownerId.replace("resp_", "");
  return items.map((item, index) => {
    const type = typeof item.type === "string" ? item.type : "message";
    const id = typeof item.id === "string" ? item.id : `${prefixes[type] ?? "item"}_${replyId}_in${index}`;
    // In its list of input items, OpenAI adds a missing status to all of these but reasoning.
    const hasStatus = type !== "reasoning" && Object.hasOwn(prefixes, type);
    const status = hasStatus && { status: item.status ?? "completed" };
    const limit = type === "shell_call_output" && { max_output_length: item.max_output_length ?? null };
    return { ...item, ...(type === "message" && toParts(item)), ...limit, ...status, id, type };
  });
}

function toParts({ role, content }: RawItem): RawItem {
  if (Array.isArray(content)) return { content: content.map(withDetail) };
  if (typeof content !== "string") return {};
  const type = role === "assistant" ? "output_text" : "input_text";
  return { content: [{ type, text: content, ...(role === "assistant" && { annotations: [] }) }] };
}

/** The detail of an image is listed even if the request left it out. */
function withDetail(part: unknown): unknown {
  const image = ImagePart.safeParse(part);
  return image.success ? { ...image.data, detail: image.data.detail ?? "auto" } : part;
}

function isReference(item: RawItem): item is RawItem & { id: string } {
  const isNamedOnly = item.type === "item_reference" || (!item.type && !("role" in item));
  return isNamedOnly && typeof item.id === "string";
}
