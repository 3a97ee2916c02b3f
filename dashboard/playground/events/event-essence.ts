import { visibleText } from "../text/visible-text.js";

const MAX_CHARS = 160;

/** What is special about an event: most of a chunk is the same in all chunks of a stream. */
export function essenceOf(data: string): string {
  return visibleText(JSON.stringify(essence(data)) ?? data).slice(0, MAX_CHARS);
}

function essence(data: string): unknown {
  const chunk = parse(data);
  if (typeof chunk !== "object" || chunk === null) return undefined;
  const { error, usage, choices }: { error?: unknown; usage?: unknown; choices?: unknown } = chunk;
  const [choice]: unknown[] = Array.isArray(choices) ? choices : [];
  if (typeof choice === "object" && choice !== null) {
    const { delta, finish_reason }: { delta?: unknown; finish_reason?: unknown } = choice;
    return finish_reason ? { finish_reason } : delta;
  }
  return error ?? usage ?? chunk;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
