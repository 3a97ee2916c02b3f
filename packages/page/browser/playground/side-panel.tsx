import { some, wholeCount } from "@curlew/gateway/system/format.js";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Button, Empty } from "../parts/card.js";
import { CopyButton } from "../parts/copy.js";
import { Choices } from "../parts/tabs.js";
import { useChanges, useLive } from "../parts/use-live.js";
import type { Chat } from "./chat/chat.js";
import { type EventLog, eventsText, type LoggedEvent } from "./chat/event-log.js";
import type { Reply } from "./chat/reply.js";
import type { ChatBody, ChatMessage } from "./chat/request-body.js";
import { EventsList } from "./events/events-list.js";
import { SettingsPanel } from "./settings-panel.js";
import { bounded, prettyJson } from "./text/visible-text.js";

export const sides = { events: "Events", request: "curl", settings: "Settings" };
export type Side = keyof typeof sides;

interface SidePanelProps {
  readonly chat: Chat;
  readonly reply: Reply | undefined;
  readonly side: Side;
  /** Undefined if the choice is shown elsewhere. */
  readonly onChoose: ((side: Side) => void) | undefined;
}

export function SidePanel({ chat, reply, side, onChoose }: SidePanelProps) {
  return (
    <section class="card column gap-3 shrinks" style={{ padding: "var(--gap-4)" }} aria-label={sides[side]}>
      {onChoose !== undefined && <Choices label="Beside the chat" choices={sides} chosen={side} onChoose={onChoose} />}
      <h2 class="unseen">{sides[side]}</h2>
      <Content chat={chat} reply={reply} side={side} />
    </section>
  );
}

function Content({ chat, reply, side }: Omit<SidePanelProps, "onChoose">) {
  switch (side) {
    case "events":
      if (reply !== undefined) return <EventsPanel key={reply.startedMs} reply={reply} />;
      return (
        <Empty title="No events yet">
          <p>Everything the gateway streams appears here as it arrives.</p>
        </Empty>
      );
    case "request":
      return <RequestPanel chat={chat} reply={reply} />;
    case "settings":
      return <SettingsPanel chat={chat} />;
  }
}

function RequestPanel({ chat, reply }: { readonly chat: Chat; readonly reply: Reply | undefined }) {
  const { now } = useLive();
  const asksForKey = now?.gateway.asksForKey === true;
  const body = reply?.body ?? chat.nextBody;
  const commandFor = (given: ChatBody) => toCurl(given, { origin: location.origin, asksForKey });
  const shown = useMemo(() => bounded(commandFor(withShortImages(body))), [body, asksForKey]);
  return (
    <>
      <div class="row between gap-3">
        <span class="faint">
          {reply === undefined ? "The next request" : "The same request"} with <code>curl</code>
          {asksForKey && "; insert your key"}
        </span>
        <CopyButton text={() => commandFor(body)} what="the command" />
      </div>
      <Raw kind="fills shrinks">{shown}</Raw>
    </>
  );
}

function Raw({ kind = "", children }: { readonly kind?: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that can be scrolled must be reachable with the keyboard
    <pre class={`playground-raw framed pad-3 scrolls tiny sunken any-break ${kind}`} tabIndex={0}>
      {children}
    </pre>
  );
}

interface CurlOptions {
  readonly origin: string;
  readonly asksForKey: boolean;
}

/** Characters that are valid in JSON but have effects in a terminal. */
const UNSAFE = /(?!\n)\p{Cc}|[\u2028-\u202e\u2066-\u2069]/gu;
const DATA_URL_CHARS = 48;

/** A request as a command. The body is sent by standard input: arguments are limited in length, and quotes would end them. */
export function toCurl(body: ChatBody, { origin, asksForKey }: CurlOptions): string {
  const json = JSON.stringify(body, null, 2).replace(UNSAFE, escaped);
  return [
    `curl -N ${origin}/v1/chat/completions \\`,
    "  -H 'content-type: application/json' \\",
    ...(asksForKey ? ["  -H 'authorization: Bearer YOUR_KEY' \\"] : []),
    "  --data-binary @- <<'JSON'",
    json,
    "JSON",
  ].join("\n");
}

/** The request for display, with truncated image data. */
export function withShortImages(body: ChatBody): ChatBody {
  return { ...body, messages: body.messages.map(shorten) };
}

function shorten(message: ChatMessage): ChatMessage {
  if (message.role !== "user" || typeof message.content === "string") return message;
  const content = message.content.map((part) =>
    part.type === "text" ? part : { ...part, image_url: { url: `${part.image_url.url.slice(0, DATA_URL_CHARS)}…` } },
  );
  return { ...message, content };
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const MAX_SHOWN = 500;
const DRAWN_EVERY_MS = 200;

function EventsPanel({ reply }: { readonly reply: Reply }) {
  const log = reply.events;
  useChanges(log, DRAWN_EVERY_MS);
  const [chosen, setChosen] = useState<LoggedEvent>();
  const shown = log.kept.slice(-MAX_SHOWN);
  if (shown.length === 0) return <NoEvents log={log} reply={reply} />;
  return (
    <>
      <div class="row between gap-3">
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
    <section class="column gap-2" style={{ maxHeight: "50%" }} aria-label={`Event ${number}`}>
      <div class="row between gap-3">
        <h3>Event {wholeCount(number)}</h3>
        <Button kind="small" onClick={onClose}>
          Close
        </Button>
      </div>
      <Raw>
        {bounded(prettyJson(data))}
        {chars > data.length && `\n… ${wholeCount(chars - data.length)} more characters`}
      </Raw>
    </section>
  );
}

function NoEvents({ log, reply }: { readonly log: EventLog; readonly reply: Reply }) {
  if (log.count > 0) return <Empty title="The events of older replies are not kept" />;
  if (reply.isRunning) return <Empty title="Waiting for the first event" />;
  return (
    <Empty title="No events">
      <p>The request ended before the stream began.</p>
    </Empty>
  );
}
