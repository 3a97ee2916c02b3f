import type { ComponentChildren, ComponentProps } from "preact";

interface ViewHeadProps {
  readonly title: string;
  readonly note: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The head of a view. Its heading gets the focus when the view is opened. */
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
      <header class="card-head row-baseline wrap between below-4" style={{ gap: "0 var(--gap-3)" }}>
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

/** A state in a word; must be understandable without its colour. */
export function Chip({ tone = "plain", children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`chip inline-row gap-6px tiny medium one-line ${tone}`}>{children}</span>;
}

export function Dot({ tone }: { readonly tone: Tone }) {
  return <span class={`dot ${tone}`} aria-hidden="true" />;
}

/** Characters of the end that are always shown: versions and variants are there. */
const END_LENGTH = 8;

/** A name truncated in the middle if it does not fit. Screen readers, copying and the tooltip get all of it. */
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

interface ButtonProps extends Omit<ComponentProps<"button">, "class"> {
  /** Additional classes. */
  readonly kind?: string;
}

export function Button({ kind = "", ...attributes }: ButtonProps) {
  return <button type="button" class={`button ${kind}`} {...attributes} />;
}

interface MeterProps {
  /** Text alternative. Omitted if adjacent text says the same. */
  readonly label?: string;
  /** Colours are variables of tokens.css, such as `--of-cached`. */
  readonly parts: readonly { readonly share: number; readonly color: string }[];
}

export function Meter({ label, parts }: MeterProps) {
  const spoken = label === undefined ? { "aria-hidden": true } : ({ role: "img", "aria-label": label } as const);
  return (
    <span class="meter" {...spoken}>
      {parts.map(({ share, color }, place) => (
        <span key={place} style={{ width: `${clamp(share) * 100}%`, background: `var(${color})` }} />
      ))}
    </span>
  );
}

function clamp(share: number): number {
  return Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : 0;
}

interface LoadingProps {
  readonly lines: number;
  readonly what: string;
}

export function Loading({ lines, what }: LoadingProps) {
  return (
    <div role="status">
      <span class="unseen">Loading {what}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="loading" style={{ width: `${90 - ((index * 23) % 50)}%` }} aria-hidden="true" />
      ))}
    </div>
  );
}

export function LoadingCard({ title, ...loading }: LoadingProps & { readonly title?: string }) {
  const content = <Loading {...loading} />;
  return title === undefined ? <div class="card">{content}</div> : <Card title={title}>{content}</Card>;
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="state column gap-2 soft">
      <strong class="ink">{title}</strong>
      {children}
    </div>
  );
}

interface FailedProps {
  readonly problem: string;
  readonly again: () => void;
}

export function Failed({ problem, again }: FailedProps) {
  return (
    <div class="state column gap-2 soft" role="alert">
      <strong class="ink">{problem}</strong>
      <Button onClick={again}>Try again</Button>
    </div>
  );
}

export function FailedCard(props: FailedProps) {
  return (
    <div class="card">
      <Failed {...props} />
    </div>
  );
}
