import "./events.css";
import { useState } from "preact/hooks";
import { CopyButton } from "../../parts/copy.js";
import { some, wholeCount } from "../../parts/format.js";
import { Empty } from "../../parts/states.js";
import { useChanges } from "../../parts/use-changes.js";
import { type EventLog, eventsText, type LoggedEvent } from "../chat/event-log.js";
import type { Reply } from "../chat/reply.js";
import { bounded, prettyJson } from "../text/pretty-json.js";
import { EventsList } from "./events-list.js";

const MAX_SHOWN = 500;
const DRAWN_EVERY_MS = 200;

/** The raw events of a reply: a line for each, and all of the one that is chosen. */
export function EventsPanel({ reply }: { readonly reply: Reply }) {
  const log = reply.events;
  useChanges(log, DRAWN_EVERY_MS);
  const [chosen, setChosen] = useState<LoggedEvent>();
  const shown = log.kept.slice(-MAX_SHOWN);
  if (shown.length === 0) return <NoEvents log={log} reply={reply} />;
  return (
    <>
      <div class="playground-panel-head">
        <span class="faint">
          {some(log.count, "event")}
          {log.count > shown.length && `, the last ${wholeCount(shown.length)} shown`}
        </span>
        <CopyButton text={() => eventsText(log)} what="all events" />
      </div>
      <EventsList events={shown} chosen={chosen?.number} onChoose={setChosen} />
      {chosen !== undefined && <WholeEvent event={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

function WholeEvent({ event, onClose }: { readonly event: LoggedEvent; readonly onClose: () => void }) {
  const { number, data, chars } = event;
  return (
    <section class="playground-event" aria-label={`Event ${number}`}>
      <div class="playground-panel-head">
        <h3>Event {wholeCount(number)}</h3>
        <button type="button" class="button small" onClick={onClose}>
          Close
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that can be scrolled must be reachable with the keyboard */}
      <pre tabIndex={0}>
        {bounded(prettyJson(data))}
        {chars > data.length && `\n… ${wholeCount(chars - data.length)} more characters`}
      </pre>
    </section>
  );
}

function NoEvents({ log, reply }: { readonly log: EventLog; readonly reply: Reply }) {
  if (log.count > 0) return <Empty title="The events of older replies are not kept" />;
  if (reply.isRunning) return <Empty title="Waiting for the first event" />;
  return (
    <Empty title="There were no events">
      <p>The request ended before the stream began.</p>
    </Empty>
  );
}
