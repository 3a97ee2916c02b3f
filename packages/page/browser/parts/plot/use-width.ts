import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** The width of an element, updated when it changes. Zero before the first render. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [widthPx, setWidth] = useState(0);
  useLayoutEffect(() => {
    const drawn = element.current;
    if (drawn === null) return;
    const measure = () => setWidth(Math.floor(drawn.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(drawn);
    return () => observer.disconnect();
  }, [element]);
  return widthPx;
}
