import "./playground.css";
import { some } from "@curlew/gateway/system/format.js";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ModelsAnswer } from "../../access/contract.js";
import { Button, ViewHead } from "../parts/card.js";
import { Choices } from "../parts/tabs.js";
import { useAnswer, useChanges } from "../parts/use-live.js";
import type { Chat } from "./chat/chat.js";
import type { Reply } from "./chat/reply.js";
import { ChatCard } from "./chat-card.js";
import { type Side, SidePanel, sides } from "./side-panel.js";
import { visibleText } from "./text/visible-text.js";

type Panel = Side | "chat";

export function PlaygroundView({ chat, model }: { readonly chat: Chat; readonly model: string | undefined }) {
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
  // Selecting an older reply lasts until there is a new one.
  const reply = looked?.while === chat.lastReply ? looked?.at : chat.lastReply;
  const showEvents = (at: Reply) => {
    setLooked({ at, while: chat.lastReply });
    setPanel("events");
  };
  const side = panel === "chat" ? "events" : panel;
  return (
    <>
      <ViewHead
        title="Playground"
        note={<p>Talk to a model through this gateway. Counts against your plan like any request.</p>}
      >
        <Button
          disabled={chat.items.length === 0}
          onClick={() => {
            chat.clear();
            setPanel("chat");
            field.current?.focus();
          }}
        >
          New conversation
        </Button>
      </ViewHead>
      {!isWide && <Choices label="Shown" choices={{ chat: "Chat", ...sides }} chosen={panel} onChoose={setPanel} />}
      <div class="playground grid gap-4 fills">
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

function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const onChange = () => setHolds(media.matches);
    media.addEventListener("change", onChange);
    return () => media.removeEventListener("change", onChange);
  }, [query]);
  return holds;
}

const MAX_CHARS = 2_000;

/** Announces the end of a turn to screen readers. */
function Announcer({ chat }: { readonly chat: Chat }) {
  const [words, setWords] = useState("");
  const reply = chat.lastReply;
  const isRunning = reply?.isRunning === true;
  // Do not repeat the announcement when the view is opened again.
  const wasRunning = useRef(false);
  useEffect(() => {
    setWords(reply !== undefined && wasRunning.current && !isRunning ? wordsOf(reply) : "");
    wasRunning.current = isRunning;
  }, [reply, isRunning]);
  return (
    <p class="unseen" role="status">
      {visibleText(words)}
    </p>
  );
}

function wordsOf({ text, calls, problem, state }: Reply): string {
  const said = text.whole.length > MAX_CHARS ? `${text.whole.slice(0, MAX_CHARS)} and so on.` : text.whole;
  const names = calls.map(({ name }) => name).join(", ");
  const end = {
    asked: "",
    streaming: "",
    complete: calls.length === 0 ? "" : `The model is waiting for ${some(calls.length, "result")}: ${names}.`,
    stopped: "Stopped.",
    failed: `The request failed. ${problem?.message ?? ""}`,
  }[state];
  return [said, end].filter((part) => part !== "").join(" ");
}
