import { useState } from "preact/hooks";
import { Button } from "./card.js";

const SHOWN_MS = 1_600;

type Outcome = "idle" | "copied" | "refused";

/** A function for texts that are expensive to build. */
type Copied = string | (() => string);

export function useCopy(text: Copied): { readonly outcome: Outcome; readonly copy: () => Promise<void> } {
  const [outcome, setOutcome] = useState<Outcome>("idle");
  const copy = async () => {
    setOutcome(await write(typeof text === "string" ? text : text()));
    setTimeout(() => setOutcome("idle"), SHOWN_MS);
  };
  return { outcome, copy };
}

/** Copies a text. `what` names it for screen readers. */
export function CopyButton({ text, what }: { readonly text: Copied; readonly what: string }) {
  const { outcome, copy } = useCopy(text);
  return (
    <Button kind="small" onClick={copy} aria-label={`Copy ${what}`}>
      <span aria-live="polite">{{ idle: "Copy", copied: "Copied", refused: "Select it" }[outcome]}</span>
    </Button>
  );
}

export function Code({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <section class={`code anchor framed sunken ${text.includes("\n") ? "lines" : ""}`} aria-label={what}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that can be scrolled must be reachable with the keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} what={what} />
    </section>
  );
}

/** Fails on pages loaded over plain HTTP from another machine: browsers give those no clipboard. */
async function write(text: string): Promise<Outcome> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    return "refused";
  }
}

export function Command({ text }: { readonly text: string }) {
  return (
    <span class="command row wrap gap-2 fixed-size">
      <code>{text}</code>
      <CopyButton text={text} what={`the command ${text}`} />
    </span>
  );
}
