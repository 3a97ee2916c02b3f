import "./playground.css";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ModelsAnswer } from "../../src/page/contract.js";
import { Choices } from "../parts/choices.js";
import { useAnswer } from "../parts/use-answer.js";
import { useChanges } from "../parts/use-changes.js";
import { useMedia } from "../parts/use-media.js";
import { Announcer } from "./announcer.js";
import type { Chat } from "./chat/chat.js";
import type { Reply } from "./chat/reply.js";
import { ChatCard } from "./chat-card.js";
import { type Side, SidePanel, sides } from "./side-panel.js";

type Panel = Side | "chat";

interface PlaygroundViewProps {
  readonly chat: Chat;
  /** The model that a link asks for. */
  readonly model: string | undefined;
}

/** Streams a chat, with all that goes over the wire beside it. */
export function PlaygroundView({ chat, model }: PlaygroundViewProps) {
  useChanges(chat);
  const asked = useAnswer<ModelsAnswer>("models");
  const isWide = useMedia("(min-width: 1120px)");
  const field = useRef<HTMLTextAreaElement>(null);
  const [panel, setPanel] = useState<Panel>("chat");
  const [looked, setLooked] = useState<{ readonly at: Reply; readonly while: Reply | undefined }>();
  useEffect(() => {
    if (asked.answer === undefined) return;
    chat.know(asked.answer.models);
    if (model !== undefined && asked.answer.models.some(({ id }) => id === model)) chat.set({ model });
  }, [chat, asked.answer, model]);
  // Somebody who looks at an older reply comes back to the newest when there is another.
  const reply = looked?.while === chat.lastReply ? looked?.at : chat.lastReply;
  const showEvents = (at: Reply) => {
    setLooked({ at, while: chat.lastReply });
    setPanel("events");
  };
  const side = panel === "chat" ? "events" : panel;
  return (
    <>
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>Playground</h1>
          <p>Talk to a model through this gateway. It costs as much as from any other client.</p>
        </div>
        <button
          type="button"
          class="button"
          disabled={chat.items.length === 0}
          onClick={() => {
            chat.clear();
            setPanel("chat");
            field.current?.focus();
          }}
        >
          New conversation
        </button>
      </div>
      {!isWide && (
        <Choices
          label="Shown"
          choices={{ chat: "Chat", ...sides }}
          chosen={panel}
          onChoose={(name) => setPanel(name)}
        />
      )}
      <div class="playground">
        <ChatCard
          chat={chat}
          field={field}
          asked={asked}
          isHidden={!isWide && panel !== "chat"}
          onEvents={showEvents}
        />
        {(isWide || panel !== "chat") && (
          <SidePanel chat={chat} reply={reply} side={side} onChoose={isWide ? setPanel : undefined} />
        )}
      </div>
      <Announcer chat={chat} />
    </>
  );
}
