import { useMemo } from "preact/hooks";
import { CopyButton } from "../parts/copy.js";
import { useLive } from "../parts/use-live.js";
import type { Chat } from "./chat/chat.js";
import { toCurl, withShortImages } from "./chat/curl.js";
import type { Reply } from "./chat/reply.js";
import type { ChatBody } from "./chat/request-body.js";
import { bounded } from "./text/pretty-json.js";

interface RequestPanelProps {
  readonly chat: Chat;
  /** Undefined before anything was sent. */
  readonly reply: Reply | undefined;
}

/** The same request for a terminal. */
export function RequestPanel({ chat, reply }: RequestPanelProps) {
  const { now } = useLive();
  const asksForKey = now?.gateway.asksForKey === true;
  const body = reply?.body ?? chat.nextBody;
  const commandFor = (given: ChatBody) => toCurl(given, { origin: location.origin, asksForKey });
  const shown = useMemo(() => bounded(commandFor(withShortImages(body))), [body, asksForKey]);
  return (
    <>
      <div class="playground-panel-head">
        <span class="faint">
          {reply === undefined ? "What would be sent" : "The same request"} with <code>curl</code>
          {asksForKey && "; put a key in it"}
        </span>
        <CopyButton text={() => commandFor(body)} what="the command" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that can be scrolled must be reachable with the keyboard */}
      <pre class="playground-command" tabIndex={0}>
        {shown}
      </pre>
    </>
  );
}
