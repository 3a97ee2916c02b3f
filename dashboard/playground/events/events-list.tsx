import { useId, useRef } from "preact/hooks";
import { useFollowEnd } from "../../parts/use-follow-end.js";
import type { LoggedEvent } from "../chat/event-log.js";
import { essenceOf } from "./event-essence.js";
import { useVisibleRows } from "./use-visible-rows.js";

/** As in the styles. */
const ROW_PX = 28;
const PAGE_ROWS = 15;

interface EventsListProps {
  readonly events: readonly LoggedEvent[];
  /** The number of the chosen one. */
  readonly chosen: number | undefined;
  readonly onChoose: (event: LoggedEvent) => void;
}

/** A line for each event. Only those in sight are drawn, since a fast stream replaces all of them several times a second. */
export function EventsList({ events: newest, chosen, onChoose }: EventsListProps) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { isAtEnd } = useFollowEnd(scroller, content, 0);
  // What somebody looks at stays in its place, even if newer events push it out of the list.
  const held = useRef(newest);
  if (isAtEnd || held.current[0]?.number === newest[0]?.number) held.current = newest;
  const events = held.current;
  const { from, to } = useVisibleRows(scroller, events.length, ROW_PX);
  const at = events.findIndex(({ number }) => number === chosen);

  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at === -1 ? 0 : Math.min(at + 1, events.length - 1),
    ArrowUp: at === -1 ? events.length - 1 : Math.max(at - 1, 0),
    PageDown: Math.min(at + PAGE_ROWS, events.length - 1),
    PageUp: Math.max(at - PAGE_ROWS, 0),
    Home: 0,
    End: events.length - 1,
  };
  const onKeyDown = (key: KeyboardEvent) => {
    const next = steps[key.key];
    const event = next === undefined ? undefined : events[next];
    if (next === undefined || event === undefined) return;
    key.preventDefault();
    onChoose(event);
    showRow(scroller.current, next);
  };
  return (
    <div
      class="playground-events"
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
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the list keeps the focus, and names the active option
          <div
            key={event.number}
            id={`${id}-${event.number}`}
            class="playground-event-row"
            role="option"
            aria-selected={event.number === chosen}
            aria-setsize={events.length}
            aria-posinset={from + index + 1}
            onClick={() => onChoose(event)}
          >
            <span class="playground-at">{(event.atMs / 1_000).toFixed(3)}</span>
            <span class={`playground-kind ${event.kind}`}>{event.kind}</span>
            <code>{essenceOf(event.data)}</code>
          </div>
        ))}
      </div>
    </div>
  );
}

/** Moves a list as little as possible to bring a row into sight. */
function showRow(list: HTMLElement | null, row: number): void {
  if (list === null) return;
  const top = Math.min(list.scrollTop, row * ROW_PX);
  list.scrollTop = Math.max(top, (row + 1) * ROW_PX - list.clientHeight);
}
