import { useState } from "preact/hooks";
import type { NowAnswer } from "../../src/page/contract.js";
import { Card } from "../parts/card.js";
import { some } from "../parts/format.js";
import { hrefOf } from "../parts/route.js";
import { Empty } from "../parts/states.js";
import { Command } from "./command.js";
import { RequestRow } from "./request-row.js";
import { StopAll } from "./stop-all.js";
import { useLiveRows } from "./use-live-rows.js";
import { WaitingRow } from "./waiting-row.js";

interface RunningCardProps {
  readonly now: NowAnswer;
  readonly skewMs: number;
  readonly isConnected: boolean;
}

/** What runs at this moment, and what waits for the tools of clients. */
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
        <p class="faint now-more">
          And {some(unseen, "more request")}. <a href={hrefOf("requests")}>All requests</a>
        </p>
      )}
      {waiting.length > 0 && (
        <>
          <h3>Waiting for tools</h3>
          <ul class="now-rows" aria-label="Waiting runs">
            {waiting.map((run) => (
              <WaitingRow key={run.id} run={run} nowMs={nowMs} />
            ))}
          </ul>
        </>
      )}
      {moreWaiting > 0 && <p class="faint now-more">And {some(moreWaiting, "more run")}.</p>}
    </Card>
  );
}

function NothingRuns({ hasRequests }: { readonly hasRequests: boolean }) {
  if (hasRequests) {
    return (
      <Empty title="Nothing runs right now">
        <p>Requests are shown here while they are answered.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No request has come today">
      <p>Point a client at this gateway:</p>
      <Command text="curlew setup" />
      <p>
        Or look at <a href={hrefOf("models")}>all clients</a>, or ask something in the{" "}
        <a href={hrefOf("playground")}>playground</a>.
      </p>
    </Empty>
  );
}
