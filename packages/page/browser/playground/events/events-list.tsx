import type { RefObject } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { placeAfter } from "../../parts/keys.js";
import { useFollowEnd } from "../../parts/use-follow-end.js";
import { fieldsOf, listOf, parsed } from "../chat/chunk.js";
import type { LoggedEvent } from "../chat/event-log.js";
import { visibleText } from "../text/visible-text.js";

/** Same as in the CSS. */
const ROW_PX = 28;
const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };

interface EventsListProps {
  readonly events: readonly LoggedEvent[];
  readonly chosen: number | undefined;
  readonly onChoose: (event: LoggedEvent) => void;
}

/** A row per event. Only visible rows are rendered, since a fast stream replaces all of them several times a second. */
export function EventsList({ events: newest, chosen, onChoose }: EventsListProps) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { isAtEnd } = useFollowEnd(scroller, content, 0);
  // While scrolled up, keep the shown events, even if newer ones push them out of the list.
  const held = useRef(newest);
  if (isAtEnd || held.current[0]?.number === newest[0]?.number) held.current = newest;
  const events = held.current;
  const { from, to } = useVisibleRows(scroller, events.length, ROW_PX);
  const at = events.findIndex(({ number }) => number === chosen);

  const onKeyDown = (key: KeyboardEvent) => {
    const from = at === -1 && key.key === "ArrowUp" ? events.length : at;
    const next = placeAfter(key.key, steps, { from, count: events.length });
    const event = next === undefined ? undefined : events[next];
    if (next === undefined || event === undefined) return;
    key.preventDefault();
    onChoose(event);
    showRow(scroller.current, next);
  };
  return (
    <div
      class="playground-events scrolls fills"
      ref={scroller}
      role="listbox"
      aria-label="Raw events"
      tabIndex={0}
      aria-activedescendant={at >= from && at < to ? `${id}-${chosen}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div
        ref={content}
        role="presentation"
        style={{ height: `${events.length * ROW_PX}px`, paddingTop: `${from * ROW_PX}px` }}
      >
        {events.slice(from, to).map((event, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the list keeps the focus, and names the active option
          <div
            key={event.number}
            id={`${id}-${event.number}`}
            class="playground-event-row grid gap-2"
            role="option"
            aria-selected={event.number === chosen}
            aria-setsize={events.length}
            aria-posinset={from + index + 1}
            onClick={() => onChoose(event)}
          >
            <span class="mono tiny soft right">{(event.atMs / 1_000).toFixed(3)}</span>
            <span class={`playground-kind tiny soft medium ${event.kind}`}>{event.kind}</span>
            <code class="clipped tiny soft">{essenceOf(event.data)}</code>
          </div>
        ))}
      </div>
    </div>
  );
}

function showRow(list: HTMLElement | null, row: number): void {
  if (list === null) return;
  const top = Math.min(list.scrollTop, row * ROW_PX);
  list.scrollTop = Math.max(top, (row + 1) * ROW_PX - list.clientHeight);
}

/** The visible rows of a scrolled list. Rerenders the component when they change. */
function useVisibleRows(scroller: RefObject<HTMLElement | null>, count: number, rowPx: number) {
  const [{ top, height }, setPlace] = useState({ top: 0, height: 0 });
  useEffect(() => {
    const outer = scroller.current;
    if (outer === null) return;
    const look = () => {
      // Rounded to whole rows, so that scrolling a few pixels does not rerender.
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

/** Rendered beyond both edges, to avoid gaps while scrolling. */
const EXTRA_ROWS = 8;

export function visibleRows(count: number, rowPx: number, scrollTop: number, heightPx: number) {
  const from = Math.floor(scrollTop / rowPx) - EXTRA_ROWS;
  const to = Math.ceil((scrollTop + heightPx) / rowPx) + EXTRA_ROWS;
  return { from: Math.max(0, Math.min(from, count)), to: Math.max(0, Math.min(to, count)) };
}

const MAX_CHARS = 160;

/** The part of an event that differs from other chunks of its stream. */
export function essenceOf(data: string): string {
  return visibleText(JSON.stringify(essence(data)) ?? data).slice(0, MAX_CHARS);
}

function essence(data: string): unknown {
  const chunk = parsed(data);
  const [choice] = listOf(chunk.choices);
  const { delta, finish_reason } = fieldsOf(choice);
  if (finish_reason) return { finish_reason };
  if (delta !== undefined) return delta;
  return chunk.error ?? chunk.usage ?? (Object.keys(chunk).length === 0 ? undefined : chunk);
}
