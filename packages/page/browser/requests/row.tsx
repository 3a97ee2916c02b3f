import { clockTime, duration, percent, shortCount, shortId } from "@curlew/gateway/system/format.js";
import { continuityText, isFailure } from "@curlew/meter/ledger/entry.js";
import { useMemo } from "preact/hooks";
import type { PageEntry } from "../../access/contract.js";
import { Chip, Meter } from "../parts/card.js";
import { cachedShare, continuityTone, outcomeText } from "./words.js";

interface RowProps {
  readonly entry: PageEntry;
  readonly href: string;
  readonly isOpen: boolean;
  readonly isFresh: boolean;
  /** Time for the full width of the bar. */
  readonly scaleMs: number;
}

/** One request of the list, in one line, or two if narrow. Memoized: rerenders only when it changes. */
export function Row({ entry, href, isOpen, isFresh, scaleMs }: RowProps) {
  return useMemo(() => {
    const { id, outcome, message } = entry;
    const isBad = isFailure(outcome);
    const state = continuityText(entry);
    return (
      <li>
        <a
          class={`request grid anchor plain-size as-text ${isBad ? "request-failed" : ""} ${isFresh ? "fresh" : ""}`}
          href={href}
          data-request={id}
          aria-current={isOpen ? "true" : undefined}
        >
          <span class="request-model medium">{entry.model || "no model"}</span>
          <span class="request-facts flex faint gap-2 whole-row">
            <span>{clockTime(entry.atMs)}</span>
            <span class="request-client">{entry.client || "unknown client"}</span>
            <Tokens entry={entry} />
          </span>
          <span class="request-state">{state !== "" && <Chip tone={continuityTone(entry)}>{state}</Chip>}</span>
          <span class="request-wide soft right">
            <span class="unseen">first byte after </span>
            {entry.firstByteMs === null ? "-" : duration(entry.firstByteMs)}
          </span>
          <span class="medium right">
            <span class="unseen">total </span>
            {entry.totalMs === null ? "-" : duration(entry.totalMs)}
          </span>
          <Times entry={entry} scaleMs={scaleMs} />
          <span class="request-wide mono pale">{shortId(id)}</span>
          {outcome !== "ok" && (
            <span class="request-outcome row-baseline gap-2 whole-row">
              <Chip tone={isBad ? "bad" : "caution"}>{outcomeText(outcome)}</Chip>
              {message !== null && <span class="request-message clipped small">{message}</span>}
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
        <span class="request-wide right">-</span>
        <span class="request-wide right">-</span>
      </>
    );
  }
  const { input, output, estimated } = tokens;
  const about = estimated ? "~" : "";
  const share = cachedShare(tokens);
  return (
    <>
      <span class="right">
        {`${about}${shortCount(input)}`}
        <span class="request-unit"> in</span>
        {share !== undefined && (
          <span class="request-cached pale">
            {percent(share)}
            <span class="request-unit"> cached</span>
          </span>
        )}
      </span>
      <span class="right">
        {`${about}${shortCount(output)}`}
        <span class="request-unit"> out</span>
      </span>
    </>
  );
}

function Times({ entry, scaleMs }: { readonly entry: PageEntry; readonly scaleMs: number }) {
  const totalMs = entry.totalMs ?? 0;
  const waitMs = Math.min(entry.firstByteMs ?? totalMs, totalMs);
  return (
    <Meter
      parts={[
        { share: waitMs / scaleMs, color: "--of-waiting" },
        { share: (totalMs - waitMs) / scaleMs, color: "--of-reply" },
      ]}
    />
  );
}
