import type { ComponentChildren } from "preact";
import { Button } from "./button.js";
import { Card } from "./card.js";

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
    <div class="state column gap-2">
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
    <div class="state column gap-2" role="alert">
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
