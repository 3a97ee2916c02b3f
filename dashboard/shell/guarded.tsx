import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { FailedCard } from "../parts/states.js";

/** Keeps the way to the other views when one of them has a fault. */
export function Guarded({ children }: { readonly children: ComponentChildren }) {
  const [thrown, reset] = useErrorBoundary((error: unknown) => reportError(error));
  if (thrown === undefined) return <>{children}</>;
  return (
    <>
      <h1 tabIndex={-1}>This view has a fault</h1>
      <FailedCard problem={String(thrown)} again={reset} />
    </>
  );
}
