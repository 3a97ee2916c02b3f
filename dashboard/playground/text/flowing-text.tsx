import { useEffect, useRef } from "preact/hooks";
import type { GrowingText } from "./growing-text.js";
import { TextPainter } from "./text-painter.js";

/** A text that may still be coming. */
export function FlowingText({ text, class: name = "" }: { readonly text: GrowingText; readonly class?: string }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (root.current === null) return;
    const painter = new TextPainter(text, root.current);
    return () => painter.stop();
  }, [text]);
  return <div class={`playground-text ${name}`} ref={root} />;
}
