import "./conversation.css";
import { useRef } from "preact/hooks";
import { Button, Empty } from "../parts/card.js";
import { useFollowEnd } from "../parts/use-follow-end.js";
import type { Talk } from "./calls.js";
import type { Item } from "./chat/chat.js";
import { ReplyItem } from "./reply-item.js";
import { bounded } from "./text/visible-text.js";

/** The conversation. Follows its end until the user scrolls up. */
export function Conversation(talk: Talk) {
  const { items } = talk.chat;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { isAtEnd, goToEnd } = useFollowEnd(scroller, content, items.length);
  return (
    <div class="anchor fills shrinks">
      {/* Announcer announces each turn once: a live log would read out every streamed word. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that can be scrolled must be reachable with the keyboard */}
      <div class="playground-log" role="log" aria-live="off" aria-label="Conversation" tabIndex={0} ref={scroller}>
        <div class="playground-items column gap-5" ref={content}>
          {items.length === 0 && <Start {...talk} />}
          {items.map((item, index) => (
            <ItemView key={index} item={item} isLast={index === items.length - 1} {...talk} />
          ))}
        </div>
      </div>
      {!isAtEnd && (
        <Button kind="small playground-newest" onClick={goToEnd}>
          Jump to the end
        </Button>
      )}
    </div>
  );
}

interface ItemViewProps extends Talk {
  readonly item: Item;
  readonly isLast: boolean;
}

function ItemView({ item, ...more }: ItemViewProps) {
  switch (item.by) {
    case "model":
      return <ReplyItem reply={item.reply} {...more} />;
    case "person":
      return (
        <article class="playground-mine column gap-2" aria-label="Your message">
          {item.message.pictures.length > 0 && (
            <div class="flex wrap gap-2">
              {item.message.pictures.map((picture, index) => (
                <img
                  key={index}
                  class="rounded"
                  style={{ maxWidth: "100%", maxHeight: "160px" }}
                  src={picture.dataUrl}
                  alt={picture.name}
                />
              ))}
            </div>
          )}
          {item.message.text !== "" && (
            <p class="playground-raw any-break" dir="auto">
              {bounded(item.message.text)}
            </p>
          )}
        </article>
      );
    case "tools":
      return (
        <article class="playground-mine column gap-2" aria-label="Your results">
          {item.results.map(({ call, text }) => (
            <div key={call.id}>
              <span class="faint">
                Result of <code>{call.name}</code>
              </span>
              <pre class="playground-raw any-break">{bounded(text)}</pre>
            </div>
          ))}
        </article>
      );
  }
}

function Start({ chat, onPicture, onDone }: Talk) {
  const write = (text: string) => {
    chat.write({ text });
    onDone();
  };
  const { name } = chat.settings.tool;
  const starts: Readonly<Record<string, () => void>> = {
    "A short question": () => write("What is a curlew? Answer in two sentences."),
    "A question that needs a tool": () => {
      chat.set({ offersTool: true });
      write(`Use the ${name} tool: what is it like in Lisbon?`);
    },
    ...(chat.model?.seesImages && {
      "A question about an image": () => {
        write("What is in this picture?");
        onPicture();
      },
    }),
  };
  return (
    <div style={{ margin: "auto", maxWidth: "480px", textWrap: "balance" }}>
      <Empty title="Start a conversation">
        <p>The reply streams in here, next to its raw events.</p>
        <ul class="flex wrap gap-2 above-2" style={{ justifyContent: "center" }}>
          {Object.entries(starts).map(([title, start]) => (
            <li key={title}>
              <Button kind="small" onClick={start}>
                {title}
              </Button>
            </li>
          ))}
        </ul>
      </Empty>
    </div>
  );
}
