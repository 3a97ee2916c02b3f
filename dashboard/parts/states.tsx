import type { ComponentChildren } from "preact";

/** Lines in the place of something that is about to come. */
export function Loading({ lines = 3, what }: { readonly lines?: number; readonly what: string }) {
  return (
    <div role="status">
      <span class="unseen">Loading {what}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="loading" style={{ width: `${90 - ((index * 23) % 50)}%` }} aria-hidden="true" />
      ))}
    </div>
  );
}

interface StateProps {
  readonly title: string;
  /** What it means, or what to do. */
  readonly children?: ComponentChildren;
}

/** There is nothing to show yet. */
export function Empty({ title, children }: StateProps) {
  return (
    <div class="state">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

interface FailedProps {
  readonly problem: string;
  readonly again: () => void;
}

/** Something could not be had, with the way to try again. */
export function Failed({ problem, again }: FailedProps) {
  return (
    <div class="state" role="alert">
      <strong>{problem}</strong>
      <button type="button" class="button" onClick={again}>
        Try again
      </button>
    </div>
  );
}

/** The same in the place of a whole card. */
export function FailedCard(props: FailedProps) {
  return (
    <div class="card">
      <Failed {...props} />
    </div>
  );
}
