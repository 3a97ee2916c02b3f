import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** How wide an element is, told again when that changes. Zero before it is drawn for the first time. */
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
