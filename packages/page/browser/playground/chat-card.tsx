import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ModelsAnswer } from "../../access/contract.js";
import { Failed, Loading } from "../parts/card.js";
import type { Asked } from "../parts/use-live.js";
import type { Chat } from "./chat/chat.js";
import { ACCEPTED, pictureProblem, readPicture } from "./chat/picture.js";
import type { Reply } from "./chat/reply.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { ModelPicker } from "./model-picker.js";

interface ChatCardProps {
  readonly chat: Chat;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly asked: Asked<ModelsAnswer>;
  readonly isHidden: boolean;
  readonly onEvents: (reply: Reply) => void;
}

/** The conversation and the composer. Images can be dropped anywhere on it. */
export function ChatCard({ chat, field, asked, isHidden, onEvents }: ChatCardProps) {
  const files = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const [isDropping, setDropping] = useState(false);
  const take = async (given: FileList | undefined) => {
    setProblem(undefined);
    if (given !== undefined) setProblem(await addPictures(chat, [...given]));
  };
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  const pick = () => files.current?.click();
  return (
    <section
      class="card playground-chat anchor column shrinks"
      style={{ padding: "0" }}
      aria-label="Chat"
      hidden={isHidden}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setDropping(false);
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setDropping(false);
        void take(event.dataTransfer?.files);
      }}
    >
      <h2 class="unseen">Chat</h2>
      <Bar chat={chat} asked={asked} />
      <Conversation chat={chat} onEvents={onEvents} onPicture={pick} onDone={() => field.current?.focus()} />
      <Composer chat={chat} field={field} problem={problem} onPicture={pick} onFiles={(given) => void take(given)} />
      <input
        ref={files}
        type="file"
        aria-label="Images to send"
        accept={ACCEPTED}
        multiple
        hidden
        onChange={async ({ currentTarget }) => {
          await take(currentTarget.files ?? undefined);
          // Allows choosing the same file again.
          currentTarget.value = "";
        }}
      />
      {isDropping && <p class="playground-drop note accent grid strong">Drop an image to send it</p>}
    </section>
  );
}

/** Adds the files that are valid images. Resolves to the problem of the others, if any. */
async function addPictures(chat: Chat, files: readonly File[]): Promise<string | undefined> {
  const { model } = chat;
  if (model !== undefined && !model.seesImages)
    return `${model.title} does not support images. Choose another model first.`;
  let problem: string | undefined;
  for (const file of files) {
    const found = pictureProblem(file, chat.pictureBytes);
    if (found !== undefined) problem = found;
    else
      await readPicture(file).then(
        (picture) => chat.addPicture(picture),
        (thrown: Error) => {
          problem = thrown.message;
        },
      );
  }
  return problem;
}

function Bar({ chat, asked }: { readonly chat: Chat; readonly asked: Asked<ModelsAnswer> }) {
  const { answer, problem, again } = asked;
  const { model, settings } = chat;
  if (answer === undefined)
    return (
      <div class="playground-bar flex gap-3">
        {problem === undefined ? <Loading what="the models" lines={1} /> : <Failed problem={problem} again={again} />}
      </div>
    );
  return (
    <div class="playground-bar flex gap-3">
      <ModelPicker models={answer.models} chosen={model} onChoose={(id) => chat.set({ model: id })} />
      {model !== undefined && model.efforts.length > 0 && (
        <label class="field column gap-1" style={{ width: "148px" }}>
          <span class="playground-label">Effort</span>
          <select value={settings.effort} onChange={({ currentTarget }) => chat.set({ effort: currentTarget.value })}>
            <option value="">Default effort</option>
            {model.efforts.map((effort) => (
              <option key={effort} value={effort}>
                {effort}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
