import { useMemo } from "preact/hooks";
import { continuityText, isFailure } from "../../src/ledger/entry.js";
import type { PageEntry } from "../../src/page/contract.js";
import { Chip } from "../parts/chip.js";
import { clockTime, duration, percent, shortCount } from "../parts/format.js";
import { cachedShare } from "./token-parts.js";
import { continuityTone, outcomeText, shortId } from "./words.js";

interface RowProps {
  readonly entry: PageEntry;
  readonly href: string;
  /** Its details are shown. */
  readonly isOpen: boolean;
  /** It has just come. */
  readonly isFresh: boolean;
  /** The time that the whole width of a bar stands for. */
  readonly scaleMs: number;
}

/** One request of the list: a line where there is room, two where there is not. Drawn again only when something of it changes. */
export function Row({ entry, href, isOpen, isFresh, scaleMs }: RowProps) {
  return useMemo(() => {
    const { id, outcome, message } = entry;
    const isBad = isFailure(outcome);
    return (
      <li>
        <a
          class={`request ${isBad ? "request-failed" : ""} ${isFresh ? "request-fresh" : ""}`}
          href={href}
          data-request={id}
          aria-current={isOpen ? "true" : undefined}
        >
          <span class="request-model">{entry.model || "no model"}</span>
          <span class="request-facts">
            <span class="request-time">{clockTime(entry.atMs)}</span>
            <span class="request-client">{entry.client || "unknown client"}</span>
            <Tokens entry={entry} />
          </span>
          <span class="request-state">
            {entry.continuity !== null && <Chip tone={continuityTone(entry)}>{continuityText(entry)}</Chip>}
          </span>
          <span class="request-first">
            <span class="unseen">first byte after </span>
            {entry.firstByteMs === null ? "-" : duration(entry.firstByteMs)}
          </span>
          <span class="request-total">
            <span class="unseen">total </span>
            {entry.totalMs === null ? "-" : duration(entry.totalMs)}
          </span>
          <Bar entry={entry} scaleMs={scaleMs} />
          <span class="request-id mono">{shortId(id)}</span>
          {outcome !== "ok" && (
            <span class="request-outcome">
              <Chip tone={isBad ? "bad" : "caution"}>{outcomeText(outcome)}</Chip>
              {message !== null && <span class="request-message">{message}</span>}
            </span>
          )}
        </a>
      </li>
    );
  }, [entry, href, isOpen, isFresh, scaleMs]);
}

function Tokens({ entry }: { readonly entry: PageEntry }) {
  const tokens = entry.tokens ?? entry.context;
  if (tokens === null) {
    return (
      <>
        <span class="request-input request-none">-</span>
        <span class="request-output request-none">-</span>
      </>
    );
  }
  const { input, output, estimated } = tokens;
  const about = estimated ? "~" : "";
  const share = cachedShare(tokens);
  return (
    <>
      <span class="request-input">
        {`${about}${shortCount(input)}`}
        <span class="request-unit"> in</span>
        {share !== undefined && (
          <span class="request-cached">
            {percent(share)}
            <span class="request-unit"> cached</span>
          </span>
        )}
      </span>
      <span class="request-output">
        {`${about}${shortCount(output)}`}
        <span class="request-unit"> out</span>
      </span>
    </>
  );
}

/** How long it took, beside the others: the wait for the first byte, and the reply. */
function Bar({ entry, scaleMs }: { readonly entry: PageEntry; readonly scaleMs: number }) {
  const totalMs = entry.totalMs ?? 0;
  const waitMs = Math.min(entry.firstByteMs ?? totalMs, totalMs);
  const width = (ms: number) => ({ width: `${Math.min(100, (ms / scaleMs) * 100)}%` });
  return (
    <span class="request-bar" aria-hidden="true">
      <span class="request-bar-wait" style={width(waitMs)} />
      <span class="request-bar-reply" style={width(totalMs - waitMs)} />
    </span>
  );
}
