import { useEffect, useRef, useState } from "preact/hooks";
import { some } from "../parts/format.js";
import type { Chat } from "./chat/chat.js";
import type { Reply } from "./chat/reply.js";
import { visibleText } from "./text/visible-text.js";

const MAX_CHARS = 2_000;

/** Tells those who do not see it that a turn has ended, and how. */
export function Announcer({ chat }: { readonly chat: Chat }) {
  const [words, setWords] = useState("");
  const reply = chat.lastReply;
  const isRunning = reply?.isRunning === true;
  // Somebody who comes back to the view has heard it already.
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
    complete: calls.length === 0 ? "" : `The model waits for ${some(calls.length, "result")}: ${names}.`,
    stopped: "Stopped.",
    failed: `The request failed. ${problem?.message ?? ""}`,
  }[state];
  return [said, end].filter((part) => part !== "").join(" ");
}
