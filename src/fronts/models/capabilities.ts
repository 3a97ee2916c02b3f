import { effortsOf } from "../../models/index.js";
import type { ListedModel } from "./listed-model.js";

const yes = { supported: true };
const no = { supported: false };
const when = (supported: boolean) => ({ supported });

/** What a model can do here, by the names that Anthropic has for it: what Cursor tells of it, and what the gateway adds. */
export function toCapabilities(model: ListedModel) {
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
    // Read by the gateway, as are answers in JSON.
    pdf_input: yes,
    server_tools: { ...no, code_execution: no, web_search: no },
    structured_outputs: yes,
    // No request is refused for what it says of thinking.
    thinking: {
      supported: canThink,
      types: { adaptive: when(canThink), enabled: when(canThink), disabled: yes, between_tools: yes },
    },
  };
}
