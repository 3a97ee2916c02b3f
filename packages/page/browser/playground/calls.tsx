import { some } from "@curlew/gateway/system/format.js";
import { useRef, useState } from "preact/hooks";
import { Button } from "../parts/card.js";
import type { Chat } from "./chat/chat.js";
import type { Reply } from "./chat/reply.js";
import { bounded, prettyJson, visibleText } from "./text/visible-text.js";

/** Actions of a conversation and its items. */
export interface Talk {
  readonly chat: Chat;
  readonly onEvents: (reply: Reply) => void;
  readonly onPicture: () => void;
  /** The focused button was removed; move focus. */
  readonly onDone: () => void;
}

export function Calls({ chat, reply, onDone }: Talk & { readonly reply: Reply }) {
  const { calls, isRunning } = reply;
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const form = useRef<HTMLFormElement>(null);
  const isWaiting = chat.waiting === reply;
  const send = (event: Event) => {
    event.preventDefault();
    chat.answer(calls.map(({ id }) => results[id] ?? ""));
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    const fields = [...(form.current?.querySelectorAll("textarea") ?? [])];
    const next = fields.find(({ value }) => value === "");
    if (next === undefined) return send(event);
    event.preventDefault();
    next.focus();
  };
  return (
    <form ref={form} class="column gap-2" onSubmit={send}>
      {calls.map((call) => (
        <div key={call.id} class="framed pad-3 column gap-2" style={{ borderLeft: "3px solid var(--of-own-tools)" }}>
          <p>
            <span class="faint">Tool call</span> <code class="strong">{visibleText(call.name)}</code>
          </p>
          {isRunning ? (
            <p class="faint">Writing the arguments: {some(call.arguments.length, "character")}</p>
          ) : (
            <pre class="playground-raw any-break">{bounded(prettyJson(call.arguments))}</pre>
          )}
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
