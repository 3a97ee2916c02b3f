import { Choices } from "../parts/choices.js";
import { Empty } from "../parts/states.js";
import type { Chat } from "./chat/chat.js";
import type { Reply } from "./chat/reply.js";
import { EventsPanel } from "./events/events-panel.js";
import { RequestPanel } from "./request-panel.js";
import { SettingsPanel } from "./settings-panel.js";

export const sides = { events: "Events", request: "curl", settings: "Settings" };
export type Side = keyof typeof sides;

interface SidePanelProps {
  readonly chat: Chat;
  /** The reply that is looked at. */
  readonly reply: Reply | undefined;
  readonly side: Side;
  /** Undefined where the choice stands elsewhere. */
  readonly onChoose: ((side: Side) => void) | undefined;
}

/** What is beside the chat. */
export function SidePanel({ chat, reply, side, onChoose }: SidePanelProps) {
  return (
    <section class="card playground-side" aria-label={sides[side]}>
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
          <p>Everything that the gateway streams shows up here as it comes.</p>
        </Empty>
      );
    case "request":
      return <RequestPanel chat={chat} reply={reply} />;
    case "settings":
      return <SettingsPanel chat={chat} />;
  }
}
