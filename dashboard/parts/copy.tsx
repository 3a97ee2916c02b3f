import { useState } from "preact/hooks";

const SHOWN_MS = 1_600;

interface CopyProps {
  /** A long text is put together only when it is wanted. */
  readonly text: string | (() => string);
  /** Its name, for screen readers. */
  readonly what: string;
}

/** Copies a text. */
export function CopyButton({ text, what }: CopyProps) {
  const [outcome, setOutcome] = useState<"idle" | "copied" | "refused">("idle");
  const copy = async () => {
    const done = await navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => "copied" as const,
      () => "refused" as const,
    );
    setOutcome(done);
    setTimeout(() => setOutcome("idle"), SHOWN_MS);
  };
  return (
    <button type="button" class="button small" onClick={copy} aria-label={`Copy ${what}`}>
      <span aria-live="polite">{{ idle: "Copy", copied: "Copied", refused: "Select it" }[outcome]}</span>
    </button>
  );
}

/** Text to be pasted elsewhere. */
export function Code({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <section class="code" aria-label={what}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that can be scrolled must be reachable with the keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} what={what} />
    </section>
  );
}
