import { ago, some } from "@curlew/gateway/system/format.js";
import type { ComponentChildren } from "preact";
import type { PageClient } from "../../access/contract.js";
import { Chip, Dot } from "../parts/card.js";
import { Code } from "../parts/copy.js";
import { icons } from "../parts/icons.js";
import { noteBlocks } from "./client-list.js";

interface ClientItemProps {
  readonly client: PageClient;
  /** Unless its group says so already. */
  readonly saysTested: boolean;
  readonly isNew: boolean;
  readonly nowMs: number;
}

/** A client in one line, which expands to its setup. */
export function ClientItem({ client, saysTested, isNew, nowMs }: ClientItemProps) {
  const { title, isProven, setup, lastSeenMs, requests } = client;
  return (
    <li class="models-row">
      <details class={`models-client ${isNew ? "fresh" : ""}`}>
        <summary class="anchor row gap-3">
          <Dot tone={lastSeenMs === null ? "plain" : "good"} />
          <h3>{title}</h3>
          {saysTested && (isProven ? <Chip tone="accent">tested</Chip> : <Chip>not tested</Chip>)}
          {/* Hidden from screen readers: repeated, with a copy button, in the instructions. */}
          <code class="models-command wide-only clipped pale" aria-hidden="true">
            {setup}
          </code>
          <span class="models-seen small soft right apart">
            {lastSeenMs === null ? "not seen yet" : `${some(requests, "request")} · ${ago(lastSeenMs, nowMs)}`}
          </span>
          {icons.open}
        </summary>
        <Instructions {...client} />
      </details>
    </li>
  );
}

function Instructions({ title, setup, run, snippet, notes }: PageClient) {
  return (
    <div class="models-client-body columns">
      <div class="column gap-4">
        <Step name="Set it up">
          <Code text={setup} what={`the command that sets up ${title}`} />
        </Step>
        {run !== null && (
          <Step name="Or start it once, without changing its settings">
            <Code text={run} what={`the command that starts ${title}`} />
          </Step>
        )}
        {snippet !== null && notes.length > 0 && <Notes title={title} notes={notes} />}
      </div>
      <div class="column gap-4">
        {snippet !== null ? (
          <Step
            name={
              <>
                By hand, in <code class="any-break">{snippet.path}</code>
              </>
            }
          >
            <Code text={snippet.text.trimEnd()} what={`the settings of ${title}`} />
          </Step>
        ) : (
          <Step name="By hand">
            <Notes title={title} notes={notes} />
          </Step>
        )}
      </div>
    </div>
  );
}

function Step({ name, children }: { readonly name: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    <div class="column gap-6px">
      <span class="small soft medium">{name}</span>
      {children}
    </div>
  );
}

function Notes({ title, notes }: { readonly title: string; readonly notes: readonly string[] }) {
  return (
    <div class="column gap-2 small soft">
      {noteBlocks(notes).map(({ isVerbatim, text }) =>
        isVerbatim ? <Code key={text} text={text} what={`what to enter for ${title}`} /> : <p key={text}>{text}</p>,
      )}
    </div>
  );
}
