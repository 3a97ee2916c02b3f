import type { ComponentChildren } from "preact";

export type Tone = "plain" | "good" | "caution" | "bad" | "accent";

/** A short word about a state. The word says it all; the colour only helps. */
export function Chip({ tone = "plain", children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`chip ${tone}`}>{children}</span>;
}

export function Dot({ tone }: { readonly tone: Tone }) {
  return <span class={`dot ${tone}`} aria-hidden="true" />;
}
