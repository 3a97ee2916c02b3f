import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Escape closes the request that is open, and the focus goes back to its row. */
export function useOpening(
  id: string | undefined,
  listHref: string,
  box: { readonly current: HTMLElement | null },
  isListed: boolean,
): void {
  const opened = useRef<string | undefined>(undefined);
  useEffect(() => {
    const rowOf = (wanted: string) =>
      box.current?.querySelector<HTMLElement>(`[data-request="${CSS.escape(wanted)}"]`) ?? undefined;
    if (id !== undefined) {
      const row = rowOf(id);
      const list = box.current;
      if (row !== undefined && list !== null && !isInSight(row, list))
        list.scrollTop += topOf(row) - topOf(list) - list.clientHeight / 3;
    } else if (opened.current !== undefined) {
      (rowOf(opened.current) ?? document.querySelector("h1"))?.focus();
    }
    opened.current = id;
  }, [id, box, isListed]);
  useEffect(() => {
    if (id === undefined) return;
    const close = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches("input, select, textarea");
      if (event.key === "Escape" && !isTyping) location.hash = listHref;
    };
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [id, listHref]);
}

/** The row that a key leads to; undefined if it leads nowhere. */
export function rowAfter(key: string, at: number, count: number): number | undefined {
  if (at < 0) return undefined;
  switch (key) {
    case "ArrowDown":
      return Math.min(at + 1, count - 1);
    case "ArrowUp":
      return Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}

/**
 * Keeps the last row where it is while newer ones make room for older ones, which not every browser does by itself. Returns the
 * function that must be called before.
 */
export function useKeptPlace(box: { readonly current: HTMLElement | null }): () => void {
  const kept = useRef<{ readonly row: Element; readonly top: number } | undefined>(undefined);
  useLayoutEffect(() => {
    if (kept.current === undefined || box.current === null) return;
    const { row, top } = kept.current;
    kept.current = undefined;
    const movedBy = topOf(row) - top;
    const isScroller = box.current.scrollHeight > box.current.clientHeight;
    (isScroller ? box.current : document.documentElement).scrollTop += movedBy;
  });
  return () => {
    const row = [...(box.current?.querySelectorAll("a.request") ?? [])].at(-1);
    kept.current = row && { row, top: topOf(row) };
  };
}

/** A row that can be seen stays where it is: it may have been opened with the pointer. */
function isInSight(row: Element, list: Element): boolean {
  const end = Math.min(list.getBoundingClientRect().bottom, innerHeight);
  return topOf(row) >= topOf(list) && row.getBoundingClientRect().bottom <= end;
}

function topOf(element: Element): number {
  return element.getBoundingClientRect().top;
}
