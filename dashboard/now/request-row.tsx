import { isFailure } from "../../src/ledger/entry.js";
import type { LiveRequest } from "../../src/page/contract.js";
import { Dot } from "../parts/chip.js";
import { duration, percent } from "../parts/format.js";
import { Meter } from "../parts/meter.js";
import { hrefOf } from "../parts/route.js";
import { causeOf } from "./causes.js";
import type { EndedState, LiveRow } from "./live-rows.js";
import { elapsed, phaseOf, phaseShares, phaseWords } from "./phase.js";

/** A request that is being answered, or was a moment ago. */
export function RequestRow({ row, nowMs }: { readonly row: LiveRow; readonly nowMs: number }) {
  const { id, client, model, round, state } = row;
  return (
    <li class={state.kind === "open" ? "" : "now-ended"}>
      <a class="now-row" href={hrefOf("requests", id)}>
        <span class="now-what">
          <strong>{model}</strong>
          <span>
            {client}
            {round > 0 && `, round ${round} of tools`}
          </span>
        </span>
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
      <span class={`now-phase ${phase}`}>
        <Dot tone="plain" />
        {phaseWords[phase]}
      </span>
      <span class="now-time">{elapsed(request.startedMs, nowMs)}</span>
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
      <span class="now-phase">
        <Dot tone={hasFailed ? "bad" : "plain"} />
        {hasFailed ? `Failed: ${causeOf(outcome).what}` : outcome === "client-left" ? "The client left" : "Done"}
      </span>
      <span class="now-time">{totalMs === null ? "" : duration(totalMs)}</span>
      <span class="now-spacer" />
    </>
  );
}
