import type { WaitingRun } from "../../src/page/contract.js";
import { some } from "../parts/format.js";
import { Meter } from "../parts/meter.js";
import { hrefOf } from "../parts/route.js";
import { leaseLeft } from "./phase.js";

/** A run that waits for the client's tools, until its lease ends. */
export function WaitingRow({ run, nowMs }: { readonly run: WaitingRun; readonly nowMs: number }) {
  const { share, words } = leaseLeft(run, nowMs);
  return (
    <li>
      <a class="now-row" href={hrefOf("requests", run.id)}>
        <span class="now-what">
          <strong>{run.model}</strong>
          <span>{run.client}</span>
        </span>
        <span class="now-phase">{some(run.calls, "call")}</span>
        <span class="now-time">{words}</span>
        <Meter
          label={`${Math.round(share * 100)}% of its lease is left`}
          parts={[{ share, color: "--of-client-tools" }]}
        />
      </a>
    </li>
  );
}
