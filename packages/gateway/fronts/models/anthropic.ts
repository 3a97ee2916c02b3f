import type { Gateway } from "../../core/index.js";
import { OUTPUT_TOKENS } from "../../models/assumed-limits.js";
import { effortsOf, shownName } from "../../models/index.js";
import { type Query, readCount } from "../parts/query.js";

export type ListedModel = Awaited<ReturnType<Gateway["models"]>>[number];

/** Cursor does not report when a model appeared; a fixed time keeps lists comparable. */
export const CREATED_SECONDS = 1_700_000_000;

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

/** Where a page of the list begins, and how long it is. @throws {GatewayError} `invalid_request`, if the limit is out of range. */
export function parsePaging(query: Query) {
  const limit = readCount(query, "limit", DEFAULT_LIMIT, MAX_LIMIT);
  return { limit, afterId: query("after_id"), beforeId: query("before_id") };
}

export function writeAnthropicList(
  models: readonly ListedModel[],
  { limit, afterId, beforeId }: ReturnType<typeof parsePaging>,
) {
  const all = models.map(writeAnthropicModel);
  const indexOf = (id: string | undefined) => all.findIndex((model) => model.id === id);
  const before = indexOf(beforeId);
  const first = before >= 0 ? Math.max(0, before - limit) : indexOf(afterId) + 1;
  const end = before >= 0 ? before : Math.min(all.length, first + limit);
  const data = all.slice(first, end);
  return {
    data,
    has_more: before >= 0 ? first > 0 : end < all.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

export function writeAnthropicModel(model: ListedModel) {
  return {
    type: "model",
    id: shownName(model),
    display_name: model.name,
    created_at: new Date(CREATED_SECONDS * 1_000).toISOString().replace(".000Z", "Z"),
    max_input_tokens: model.contextTokens ?? null,
    max_tokens: OUTPUT_TOKENS,
    capabilities: toCapabilities(model),
    lifecycle: "active",
    line: null, // the official types forbid guessing it from a name
    deprecated_at: null,
    retires_at: null,
  };
}

const yes = { supported: true };
const no = { supported: false };
const when = (supported: boolean) => ({ supported });

function toCapabilities(model: ListedModel) {
  const { canThink, canSeeImages = false } = model;
  const efforts = effortsOf(model);
  const effort = (name: string) => when(efforts.includes(name));
  return {
    batch: no,
    citations: no,
    code_execution: no,
    context_management: { ...no, clear_thinking_20251015: no, clear_tool_uses_20250919: no, compact_20260112: no },
    effort: {
      supported: efforts.length > 0,
      low: effort("low"),
      medium: effort("medium"),
      high: effort("high"),
      xhigh: effort("xhigh"),
      max: effort("max"),
    },
    image_input: when(canSeeImages),
    // The gateway reads documents itself, and checks answers in JSON.
    pdf_input: yes,
    server_tools: { ...no, code_execution: no, web_search: no },
    structured_outputs: yes,
    // No request is refused for its thinking options.
    thinking: {
      supported: canThink,
      types: { adaptive: when(canThink), enabled: when(canThink), disabled: yes, between_tools: yes },
    },
  };
}
