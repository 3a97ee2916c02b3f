import { duration, percent, some } from "@curlew/gateway/system/format.js";
import { isFailure } from "@curlew/meter/ledger/entry.js";
import { useEffect, useState } from "preact/hooks";
import type { LiveRequest, NowAnswer, PageEntry, WaitingRun } from "../../access/contract.js";
import { Card, Dot, Empty, Meter } from "../parts/card.js";
import { Command } from "../parts/copy.js";
import { hrefOf } from "../parts/route.js";
import { useClock, useEnded } from "../parts/use-live.js";
import { causeOf } from "./checks.js";
import { type EndedState, type LiveRow, nextRows } from "./live-rows.js";
import { elapsed, leaseLeft, phaseOf, phaseShares, phaseWords } from "./phase.js";
import { StopAll } from "./stop-all.js";

interface RunningCardProps {
  readonly now: NowAnswer;
  readonly skewMs: number;
  /** False while offline; the clock then stands still. */
  readonly isConnected: boolean;
}

export function RunningCard({ now, skewMs, isConnected }: RunningCardProps) {
  const { requests, moreRequests, waiting, moreWaiting } = now.live;
  const [isHeld, setHeld] = useState(false);
  const { rows, nowMs } = useLiveRows({ now, skewMs, isConnected, isHeld });
  const unseen = requests.length + moreRequests - rows.filter(({ state }) => state.kind === "open").length;
  const runs = { replies: requests.length + moreRequests, waiting: waiting.length + moreWaiting };
  return (
    <Card title="Running now" class="now-running" aside={<StopAll {...runs} isConnected={isConnected} />}>
      {rows.length === 0 && waiting.length === 0 && <NothingRuns hasRequests={now.today.requests > 0} />}
      {rows.length > 0 && (
        <ul
          class="now-rows"
          aria-label="Requests"
          onMouseEnter={() => setHeld(true)}
          onMouseLeave={() => setHeld(false)}
          onFocusIn={() => setHeld(true)}
          onFocusOut={() => setHeld(false)}
        >
          {rows.map((row) => (
            <RequestRow key={row.id} row={row} nowMs={nowMs} />
          ))}
        </ul>
      )}
      {unseen > 0 && (
        <p class="faint">
          And {some(unseen, "more request")}. <a href={hrefOf("requests")}>All requests</a>
        </p>
      )}
      {waiting.length > 0 && (
        <>
          <h3 class="soft" style={{ margin: "var(--gap-5) 0 var(--gap-2)" }}>
            Waiting for tools
          </h3>
          <ul class="now-rows" aria-label="Waiting runs">
            {waiting.map((run) => (
              <WaitingRow key={run.id} run={run} nowMs={nowMs} />
            ))}
          </ul>
        </>
      )}
      {moreWaiting > 0 && <p class="faint">And {some(moreWaiting, "more run")}.</p>}
    </Card>
  );
}

function NothingRuns({ hasRequests }: { readonly hasRequests: boolean }) {
  if (hasRequests) {
    return (
      <Empty title="No requests right now">
        <p>Requests appear here while they are in progress.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No requests today">
      <p>Point a client at this gateway:</p>
      <Command text="curlew setup" />
      <p>
        Or see <a href={hrefOf("models")}>all clients</a>, or try the <a href={hrefOf("playground")}>playground</a>.
      </p>
    </Empty>
  );
}

function WaitingRow({ run, nowMs }: { readonly run: WaitingRun; readonly nowMs: number }) {
  const { share, words } = leaseLeft(run, nowMs);
  return (
    <li>
      <a class="now-row grid rounded pad-3 as-text" href={hrefOf("requests", run.id)}>
        <What {...run} round={0} side={null} />
        <span class="now-phase row gap-2 small soft">{some(run.calls, "call")}</span>
        <span class="small medium right">{words}</span>
        <Meter
          label={`${Math.round(share * 100)}% of the lease left`}
          parts={[{ share, color: "--of-client-tools" }]}
        />
      </a>
    </li>
  );
}

function What({ model, client, round, side }: Pick<LiveRow, "model" | "client" | "round" | "side">) {
  return (
    <span class="now-what column any-break narrows" style={{ lineHeight: "1.35" }}>
      <strong>{model}</strong>
      <span class="faint">
        {client}
        {side !== null && ` (${side})`}
        {round > 0 && `, tool round ${round}`}
      </span>
    </span>
  );
}

/** The rows of the list and the gateway's time, which ticks only while something is open. */
function useLiveRows({ now, skewMs, isConnected, isHeld }: RunningCardProps & { readonly isHeld: boolean }) {
  const { requests, moreRequests, waiting } = now.live;
  const [rows, setRows] = useState<readonly LiveRow[]>([]);
  const hasOpen = rows.length + requests.length + waiting.length > 0;
  const nowMs = Math.max(useClock(1_000, isConnected && hasOpen) + skewMs, now.nowMs);
  const renew = (ended: readonly PageEntry[]) =>
    setRows((before) => nextRows(before, { requests, moreRequests, nowMs, isHeld, ended }));
  useEnded(({ entries }) => renew(entries));
  useEffect(() => renew([]), [requests, nowMs, isHeld]);
  return { rows, nowMs };
}

function RequestRow({ row, nowMs }: { readonly row: LiveRow; readonly nowMs: number }) {
  const { id, state } = row;
  return (
    <li class={state.kind === "open" ? "" : "pale"}>
      <a class="now-row grid rounded pad-3 as-text" href={hrefOf("requests", id)}>
        <What {...row} />
        {state.kind === "open" ? <Open request={state.request} nowMs={nowMs} /> : <Ended {...state} />}
      </a>
    </li>
  );
}

function Open({ request, nowMs }: { readonly request: LiveRequest; readonly nowMs: number }) {
  const phase = phaseOf(request);
  const { planning, waiting, streaming } = phaseShares(request, nowMs);
  return (
    <>
      <span class={`now-phase row gap-2 small soft ${phase}`}>
        <Dot tone="plain" />
        {phaseWords[phase]}
      </span>
      <span class="small medium right">{elapsed(request.startedMs, nowMs)}</span>
      <Meter
        label={`Planning ${percent(planning)}, waiting for Cursor ${percent(waiting)}, streaming ${percent(streaming)} of the time`}
        parts={[
          { share: planning, color: "--of-curlew" },
          { share: waiting, color: "--of-waiting" },
          { share: streaming, color: "--of-reply" },
        ]}
      />
    </>
  );
}

function Ended({ outcome, totalMs }: EndedState) {
  const hasFailed = outcome !== null && isFailure(outcome);
  return (
    <>
      <span class="now-phase row gap-2 small soft">
        <Dot tone={hasFailed ? "bad" : "plain"} />
        {hasFailed ? `Failed: ${causeOf(outcome)}` : outcome === "client-left" ? "The client left" : "Done"}
      </span>
      <span class="small medium right">{totalMs === null ? "" : duration(totalMs)}</span>
      <span />
    </>
  );
}
