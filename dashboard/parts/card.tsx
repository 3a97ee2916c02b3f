import type { ComponentChildren } from "preact";

interface ViewHeadProps {
  readonly title: string;
  readonly note: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The beginning of a view. Its heading takes the focus when somebody comes to the view. */
export function ViewHead({ title, note, children }: ViewHeadProps) {
  return (
    <header class="view-head row wrap between gap-3">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {note}
      </div>
      {children}
    </header>
  );
}

interface CardProps {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A part of a view, with a heading that screen readers can jump to. */
export function Card({ title, aside, class: name = "", children }: CardProps) {
  return (
    <section class={`card ${name}`} aria-label={title}>
      <header class="card-head row-baseline wrap between">
        <h2>{title}</h2>
        {aside !== undefined && <div class="aside faint">{aside}</div>}
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

export function Figure({ label, value, note }: FigureProps) {
  return (
    <div class="figure column gap-1">
      <span class="small soft weight-500">{label}</span>
      <span class="figure-value">{value}</span>
      {note !== undefined && <span class="faint">{note}</span>}
    </div>
  );
}

/** The titles of a table's columns. The first column has names, the others have numbers. */
export function HeadRow({ titles }: { readonly titles: readonly string[] }) {
  return (
    <tr>
      {titles.map((title, column) => (
        <th key={title} scope="col" class={column === 0 ? "" : "number"}>
          {title}
        </th>
      ))}
    </tr>
  );
}

export type Tone = "plain" | "good" | "caution" | "bad" | "accent";

/** A short word about a state. The word says it all; the colour only helps. */
export function Chip({ tone = "plain", children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`chip inline-row gap-6px tiny medium one-line ${tone}`}>{children}</span>;
}

export function Dot({ tone }: { readonly tone: Tone }) {
  return <span class={`dot ${tone}`} aria-hidden="true" />;
}

/** So much of the end of a name is always shown: versions and variants are there. */
const END_LENGTH = 8;

/** A name that is cut in its middle where there is no room for it. All of it is there for screen readers, copying and pointers. */
export function CutName({ name }: { readonly name: string }) {
  const letters = [...name];
  if (letters.length <= END_LENGTH * 2) return <span class="cut-name">{name}</span>;
  return (
    <span class="cut-name" title={name}>
      <span class="cut-name-start">{letters.slice(0, -END_LENGTH).join("")}</span>
      <span class="fixed-size">{letters.slice(-END_LENGTH).join("")}</span>
    </span>
  );
}
