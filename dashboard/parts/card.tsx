import type { ComponentChildren } from "preact";

interface CardProps {
  readonly title: string;
  /** What stands at the right of the title. */
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A part of a view, with a heading that screen readers can jump to. */
export function Card({ title, aside, class: name = "", children }: CardProps) {
  return (
    <section class={`card ${name}`} aria-label={title}>
      <header class="card-head">
        <h2>{title}</h2>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
}

/** One number that matters, with its name. */
export function Figure({ label, value, note }: FigureProps) {
  return (
    <div class="figure">
      <span class="figure-label">{label}</span>
      <span class="figure-value">{value}</span>
      {note !== undefined && <span class="figure-note">{note}</span>}
    </div>
  );
}
