import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { Button, Chip } from "../parts/card.js";
import { icons } from "../parts/icons.js";
import type { Chat } from "./chat/chat.js";

interface ComposerProps {
  readonly chat: Chat;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly problem: string | undefined;
  readonly onPicture: () => void;
  readonly onFiles: (files: FileList) => void;
}

export function Composer({ chat, field, problem, onPicture, onFiles }: ComposerProps) {
  const [wasRefused, setRefused] = useState(false);
  const { draft, isRunning, obstacle, model, settings } = chat;
  const send = (event: Event) => {
    event.preventDefault();
    setRefused(!chat.send() && obstacle !== undefined);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isRunning) chat.stop();
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    if (isRunning) event.preventDefault();
    else send(event);
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData;
    // Office programs put a picture of copied text on the clipboard, too.
    if (pasted === null || pasted.files.length === 0 || pasted.types.includes("text/plain")) return;
    event.preventDefault();
    onFiles(pasted.files);
  };
  const isEmpty = draft.text.trim() === "" && draft.pictures.length === 0;
  const seesImages = model?.seesImages === true;
  return (
    <form class="playground-composer" onSubmit={send}>
      <p class="playground-mistake small" role="status">
        {problem ?? (wasRefused || draft.pictures.length > 0 ? obstacle : undefined)}
      </p>
      <div class="playground-box">
        <Pictures chat={chat} onRemove={() => field.current?.focus()} />
        <textarea
          class="block"
          ref={field}
          aria-label="Message"
          placeholder="Write a message"
          rows={2}
          maxLength={1_000_000}
          value={draft.text}
          onInput={({ currentTarget }) => chat.write({ text: currentTarget.value })}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <div class="playground-row row gap-2" style={{ padding: "var(--gap-2)" }}>
          <Button kind="plain small" disabled={!seesImages} onClick={onPicture}>
            {icons.image}
            {seesImages ? "Image" : "Images not supported"}
          </Button>
          {settings.offersTool && <Chip tone="accent">Tool: {settings.tool.name}</Chip>}
          <span class="faint wide-only">Enter to send, Shift+Enter for a new line</span>
          {isRunning ? (
            <Button
              key="stop"
              kind="apart"
              onClick={() => {
                chat.stop();
                field.current?.focus();
              }}
            >
              {icons.stop}
              Stop
            </Button>
          ) : (
            <Button key="send" type="submit" kind="first apart" aria-disabled={isEmpty || obstacle !== undefined}>
              Send
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}

function Pictures({ chat, onRemove }: { readonly chat: Chat; readonly onRemove: () => void }) {
  const { pictures } = chat.draft;
  if (pictures.length === 0) return null;
  return (
    <ul class="playground-pictures flex wrap gap-2" style={{ padding: "var(--gap-3) var(--gap-4) 0" }}>
      {pictures.map((picture, index) => (
        <li key={index} class="anchor">
          <img
            class="framed block"
            style={{ objectFit: "cover" }}
            width={72}
            height={72}
            src={picture.dataUrl}
            alt={picture.name}
          />
          <Button
            kind="small"
            aria-label={`Remove ${picture.name}`}
            onClick={() => {
              chat.write({ pictures: pictures.filter((each) => each !== picture) });
              onRemove();
            }}
          >
            {icons.close}
          </Button>
        </li>
      ))}
    </ul>
  );
}
