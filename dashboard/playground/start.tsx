import { Empty } from "../parts/states.js";
import type { Chat } from "./chat/chat.js";

interface StartProps {
  readonly chat: Chat;
  readonly onPicture: () => void;
  /** Something is written now. */
  readonly onDone: () => void;
}

/** What to do in an empty conversation. */
export function Start({ chat, onPicture, onDone }: StartProps) {
  const write = (text: string) => {
    chat.write({ text });
    onDone();
  };
  const { name } = chat.settings.tool;
  return (
    <div class="playground-start">
      <Empty title="Say something to a model">
        <p>The answer streams in here, with what came over the wire beside it.</p>
        <ul>
          <li>
            <button
              type="button"
              class="button small"
              onClick={() => write("What is a curlew? Answer in two sentences.")}
            >
              A short question
            </button>
          </li>
          <li>
            <button
              type="button"
              class="button small"
              onClick={() => {
                chat.set({ offersTool: true });
                write(`Use the ${name} tool: what is it like in Lisbon?`);
              }}
            >
              A question that needs a tool
            </button>
          </li>
          {chat.model?.seesImages && (
            <li>
              <button
                type="button"
                class="button small"
                onClick={() => {
                  write("What is in this picture?");
                  onPicture();
                }}
              >
                A question about an image
              </button>
            </li>
          )}
        </ul>
      </Empty>
    </div>
  );
}
