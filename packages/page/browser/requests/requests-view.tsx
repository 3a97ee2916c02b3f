import "./requests.css";
import "./detail.css";
import "./timeline/timeline.css";
import { some } from "@curlew/gateway/system/format.js";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { ViewHead } from "../parts/card.js";
import { placeAfter } from "../parts/keys.js";
import { hrefOf, useRoute } from "../parts/route.js";
import { useLive } from "../parts/use-live.js";
import { Detail } from "./detail.js";
import { filterOf, queryOf } from "./filter.js";
import { FilterBar } from "./filter-bar.js";
import { List } from "./list.js";
import { useRequests } from "./use-requests.js";

type Box = RefObject<HTMLElement | null>;

/** The list may move by itself while it is scrolled no further than this. */
const TOP_PX = 8;

export function RequestsView({ id }: { readonly id: string | undefined }) {
  const filter = filterOf(useRoute().query);
  const query = queryOf(filter);
  const listHref = hrefOf("requests", undefined, query);
  const box = useRef<HTMLElement>(null);
  const mayMove = () => {
    const list = box.current;
    if (list === null || id !== undefined || scrollY > TOP_PX) return false;
    return !list.matches(":hover") && !list.contains(document.activeElement);
  };
  const requests = useRequests(filter, { mayMove, beforeOlder: useKeptPlace(box) });
  useOpening(id, listHref, box, requests.list !== undefined);
  const onKeyDown = (event: KeyboardEvent) => {
    const rows = [...(box.current?.querySelectorAll<HTMLElement>("a.request") ?? [])];
    const row = { from: rows.indexOf(event.target as HTMLElement), count: rows.length };
    const next = row.from < 0 ? undefined : placeAfter(event.key, { ArrowDown: 1, ArrowUp: -1 }, row);
    if (next === undefined) return;
    event.preventDefault();
    rows[next]?.focus();
  };
  return (
    <div class={`column gap-4 ${id === undefined ? "" : "requests-open"}`}>
      <ViewHead title="Requests" note={<Summary isBusy={(requests.list?.missed ?? 0) > 0} />} />
      <FilterBar filter={filter} openId={id} />
      <div class="requests-body">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys are a shortcut; the Tab key works too */}
        <div class="requests-side narrows" onKeyDown={onKeyDown}>
          <List requests={requests} filter={filter} openId={id} box={box} />
        </div>
        {id !== undefined && <Detail id={id} listHref={listHref} hrefOf={(each) => hrefOf("requests", each, query)} />}
      </div>
    </div>
  );
}

/** Always one line, so that a change does not move the list. */
function Summary({ isBusy }: { readonly isBusy: boolean }) {
  const today = useLive().now?.today;
  if (isBusy) return <p style={{ color: "var(--caution)" }}>Too many to list them all</p>;
  if (today === undefined) return <p>Newest first</p>;
  const failures = today.failures === 0 ? "" : `, ${today.failures} failed`;
  return <p>{`${some(today.requests, "request")} today${failures}`}</p>;
}

/** Escape closes the open request and returns the focus to its row. */
function useOpening(id: string | undefined, listHref: string, box: Box, isListed: boolean): void {
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

/** Keeps the last row in place while older rows replace newer ones. Returns a function to call before that. */
function useKeptPlace(box: Box): () => void {
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

/** A visible row is not scrolled: it may have been opened with the pointer. */
function isInSight(row: Element, list: Element): boolean {
  const end = Math.min(list.getBoundingClientRect().bottom, innerHeight);
  return topOf(row) >= topOf(list) && row.getBoundingClientRect().bottom <= end;
}

function topOf(element: Element): number {
  return element.getBoundingClientRect().top;
}
