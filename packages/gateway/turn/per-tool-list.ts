import { perObject } from "./per-object.js";
import type { ToolDefinition } from "./turn.js";

type ToolList = readonly ToolDefinition[];
type OfPrompt<Made> = (system: string, tools: ToolList) => Made;

/** Longer system prompts are not kept for the next request. */
const MAX_HELD_CHARACTERS = 128 * 1024;

/** Computes a value once for each list of tools, which the gateway makes one object for equal lists. */
export const perToolList: <Made>(make: (tools: ToolList) => Made) => (tools: ToolList) => Made = perObject;

/** The same for values that also depend on the system prompt. The value for the last prompt of each list is kept. */
export function perPrompt<Made>(make: OfPrompt<Made>): OfPrompt<Made> {
  const lastOf = new WeakMap<ToolList, { system: string; made: Made }>();
  return (system, tools) => {
    const last = lastOf.get(tools);
    if (last?.system === system) return last.made;
    const made = make(system, tools);
    if (system.length <= MAX_HELD_CHARACTERS) lastOf.set(tools, { system, made });
    return made;
  };
}
