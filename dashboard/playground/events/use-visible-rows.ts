import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Rows, visibleRows } from "./visible-rows.js";

/** The rows of a scrolled list that are in sight. The component is drawn again when others are. */
export function useVisibleRows(scroller: RefObject<HTMLElement | null>, count: number, rowPx: number): Rows {
  const [{ top, height }, setPlace] = useState({ top: 0, height: 0 });
  useEffect(() => {
    const outer = scroller.current;
    if (outer === null) return;
    const look = () => {
      // Whole rows, so that a few pixels draw nothing again.
      const place = { top: Math.floor(outer.scrollTop / rowPx) * rowPx, height: outer.clientHeight };
      setPlace((before) => (before.top === place.top && before.height === place.height ? before : place));
    };
    look();
    const size = new ResizeObserver(look);
    size.observe(outer);
    outer.addEventListener("scroll", look, { passive: true });
    return () => {
      size.disconnect();
      outer.removeEventListener("scroll", look);
    };
  }, [rowPx]);
  return visibleRows(count, rowPx, top, height);
}
