import { duration, wholeCount } from "@curlew/gateway/system/format.js";
import { useEffect, useRef } from "preact/hooks";
import { Button, Chip } from "../parts/card.js";
import { CopyButton } from "../parts/copy.js";
import { hrefOf } from "../parts/route.js";
import { useChanges } from "../parts/use-live.js";
import { Calls, type Talk } from "./calls.js";
import type { ReplyUsage } from "./chat/chunk.js";
import type { Reply } from "./chat/reply.js";
import type { GrowingText } from "./text/growing-text.js";
import { TextPainter } from "./text/text-painter.js";

const DRAWN_EVERY_MS = 80;

interface ReplyItemProps extends Talk {
  readonly reply: Reply;
  readonly isLast: boolean;
}

export function ReplyItem({ reply, isLast, ...talk }: ReplyItemProps) {
  useChanges(reply, DRAWN_EVERY_MS);
  const { text, thinking, calls, facts, state, problem, body, isRunning } = reply;
  const name = facts?.model ?? body.model;
  return (
    <article class="playground-reply column gap-2" aria-label={`Reply of ${name}`} aria-busy={isRunning}>
      <h3 class="faint medium">{name}</h3>
      {facts?.warnings !== undefined && <p class="note caution">{facts.warnings}</p>}
      {thinking.sections.length > 0 && (
        <details class="playground-thinking plain-size soft" open>
          <summary class="faint">Thinking</summary>
          <FlowingText text={thinking} />
        </details>
      )}
      <FlowingText text={text} />
      {isRunning && text.sections.length === 0 && <p class="playground-dots pale">{waitingWords(reply)}</p>}
      {calls.length > 0 && <Calls reply={reply} {...talk} />}
      {problem !== undefined && !isRunning && <ProblemNote problem={problem} />}
      {state === "stopped" && <p class="note">Stopped.</p>}
      {reply.finish === "length" && <p class="note caution">The answer was cut off at the token limit.</p>}
      {reply.finish === "content_filter" && <p class="note caution">The answer was filtered.</p>}
      {(state === "failed" || state === "stopped") && isLast && (
        <Button
          kind="small"
          onClick={() => {
            talk.chat.again();
            talk.onDone();
          }}
        >
          Ask again
        </Button>
      )}
      <footer class="playground-foot tiny pale" style={{ lineHeight: "2" }}>
        {facts?.continuity !== undefined && <Continuity continuity={facts.continuity} />}
        <Figures reply={reply} />
        <span class="one-line">
          {facts?.requestId !== undefined && !isRunning && <a href={hrefOf("requests", facts.requestId)}>Request</a>}
          <Button kind="plain small" onClick={() => talk.onEvents(reply)}>
            Events
          </Button>
          {text.whole !== "" && !isRunning && <CopyButton text={() => text.whole} what="the answer" />}
        </span>
      </footer>
    </article>
  );
}

function waitingWords({ state, thinking, calls }: Reply): string {
  if (calls.length > 0) return "";
  if (thinking.sections.length > 0) return "Thinking";
  return state === "asked" ? "Waiting for the first byte" : "Waiting";
}

function ProblemNote({ problem }: { readonly problem: NonNullable<Reply["problem"]> }) {
  const { code, retryAfterS } = problem.details;
  return (
    <div class="note bad">
      <p>{problem.message}</p>
      <p class="faint">
        {code !== undefined && <code>{code}</code>}
        {retryAfterS !== undefined && ` Try again in ${duration(retryAfterS * 1_000)}.`}
      </p>
    </div>
  );
}

/** Same wording as in the list of requests: `cold: edited`. A new conversation is always cold. */
function Continuity({ continuity }: { readonly continuity: string }) {
  const [kept = "", reason] = continuity.split(":", 2);
  const text = reason === undefined ? kept : `${kept}: ${reason.replaceAll("-", " ")}`;
  if (kept === "warm") return <Chip tone="good">{text}</Chip>;
  return <Chip tone={reason === "new" ? "plain" : "caution"}>{text}</Chip>;
}

function Figures({ reply }: { readonly reply: Reply }) {
  const { usage, turnUsage, firstByteMs, totalMs } = reply;
  const figures = [
    ...(usage === undefined ? [] : [usageWords(usage)]),
    ...(turnUsage === undefined ? [] : [`whole turn: ${usageWords(turnUsage)}`]),
    ...(firstByteMs === undefined ? [] : [inOneLine(`first byte after ${duration(firstByteMs)}`)]),
    ...(totalMs === undefined ? [] : [inOneLine(`${duration(totalMs)} total`)]),
  ];
  return <span>{figures.join(" · ")}</span>;
}

function inOneLine(text: string): string {
  return text.replaceAll(" ", "\u00a0");
}

function usageWords({ inputTokens, cachedTokens, outputTokens }: ReplyUsage): string {
  return `${wholeCount(inputTokens)} in, ${wholeCount(cachedTokens)} cached, ${wholeCount(outputTokens)} out`;
}

function FlowingText({ text }: { readonly text: GrowingText }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (root.current === null) return;
    const painter = new TextPainter(text, root.current);
    return () => painter.stop();
  }, [text]);
  return <div ref={root} />;
}
