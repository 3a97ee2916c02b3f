import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

type Place = RefObject<HTMLElement | null>;

/** Tolerance for rounding in zoomed pages. */
const NEAR_PX = 3;

/** Keeps an element scrolled to its end while its content grows, until the user scrolls up. A new `round` scrolls to the end. */
export function useFollowEnd(scroller: Place, content: Place, round: number) {
  const isFollowing = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);
  const goToEnd = () => {
    isFollowing.current = true;
    setAtEnd(true);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  };
  useEffect(() => {
    const outer = scroller.current;
    const inner = content.current;
    if (outer === null || inner === null) return;
    let lastTop = outer.scrollTop;
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = outer;
      // Only scrolling up stops following: growing content increases the distance, too.
      if (scrollHeight - clientHeight - scrollTop <= NEAR_PX) isFollowing.current = true;
      else if (scrollTop < lastTop) isFollowing.current = false;
      lastTop = scrollTop;
      setAtEnd(isFollowing.current);
    };
    const growth = new ResizeObserver(() => {
      if (isFollowing.current) outer.scrollTop = outer.scrollHeight;
    });
    outer.addEventListener("scroll", onScroll, { passive: true });
    growth.observe(inner);
    growth.observe(outer);
    return () => {
      outer.removeEventListener("scroll", onScroll);
      growth.disconnect();
    };
  }, []);
  useLayoutEffect(goToEnd, [round]);
  return { isAtEnd, goToEnd };
}
