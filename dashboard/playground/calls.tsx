import { useRef, useState } from "preact/hooks";
import { some } from "../../src/format.js";
import { Button } from "../parts/button.js";
import type { Chat } from "./chat/chat.js";
import type { Reply } from "./chat/reply.js";
import type { Call } from "./chat/request-body.js";
import { bounded, prettyJson, visibleText } from "./text/visible-text.js";

/** What can be done with a conversation, and in it. */
export interface Talk {
  readonly chat: Chat;
  readonly onEvents: (reply: Reply) => void;
  readonly onPicture: () => void;
  /** A button that is gone now has done its work: the focus must go elsewhere. */
  readonly onDone: () => void;
}

export function Calls({ chat, reply, onDone }: Talk & { readonly reply: Reply }) {
  const { calls, isRunning } = reply;
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const form = useRef<HTMLFormElement>(null);
  const isWaiting = chat.waiting === reply;
  const send = () => {
    chat.answer(calls.map(({ id }) => results[id] ?? ""));
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    const fields = [...(form.current?.querySelectorAll("textarea") ?? [])];
    const next = fields.find(({ value }) => value === "");
    if (next === undefined) send();
    else next.focus();
  };
  return (
    <form
      ref={form}
      class="column gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {calls.map((call) => (
        <div key={call.id} class="framed pad-3 column gap-2" style={{ borderLeft: "3px solid var(--of-own-tools)" }}>
          <CallHead call={call} isRunning={isRunning} />
          {isWaiting && (
            <label class="field column gap-1">
              Result
              <textarea
                class="mono"
                rows={2}
                maxLength={500_000}
                spellcheck={false}
                aria-label={`Result of ${call.name}`}
                placeholder="What the tool returns"
                value={results[call.id] ?? ""}
                onInput={({ currentTarget }) => setResults((all) => ({ ...all, [call.id]: currentTarget.value }))}
                onKeyDown={onKeyDown}
              />
            </label>
          )}
        </div>
      ))}
      {isWaiting && (
        <div class="flex end gap-2">
          <Button
            kind="small"
            onClick={() => setResults(Object.fromEntries(calls.map(({ id }) => [id, chat.settings.tool.example])))}
          >
            {calls.length === 1 ? "Fill in the example" : "Fill in the examples"}
          </Button>
          <Button type="submit" kind="first">
            {calls.length === 1 ? "Send the result" : `Send ${calls.length} results`}
          </Button>
        </div>
      )}
    </form>
  );
}

function CallHead({ call, isRunning }: { readonly call: Call; readonly isRunning: boolean }) {
  return (
    <>
      <p>
        <span class="faint">Call of</span> <code class="strong">{visibleText(call.name)}</code>
      </p>
      {isRunning ? (
        <p class="faint">Writing the arguments: {some(call.arguments.length, "character")}</p>
      ) : (
        <pre class="playground-raw any-break">{bounded(prettyJson(call.arguments))}</pre>
      )}
    </>
  );
}
