import type { PlanAnswerBody } from "../../src/page/contract.js";
import { Card } from "../parts/card.js";
import { Meter } from "../parts/meter.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import type { Asked } from "../parts/use-answer.js";
import { onDemandText, type Plan, type Pool, poolsOf, poolText, poolTone, resetText, spentText } from "./plan-text.js";

/** What is used of the plan at Cursor. Only Cursor knows, so this may come late or not at all. */
export function PlanCard({ asked, nowMs }: { readonly asked: Asked<PlanAnswerBody>; readonly nowMs: number }) {
  const { answer, problem, again } = asked;
  const plan = answer?.plan ?? null;
  const title = plan === null ? undefined : [plan.plan, plan.price].filter((part) => part !== null).join(", ");
  return (
    <Card title="Plan" class="now-plan" aside={title}>
      {plan !== null ? (
        <Pools plan={plan} nowMs={nowMs} />
      ) : answer !== undefined ? (
        <Empty title="Cursor does not say what is used of the plan">
          <p>{answer.problem}</p>
          <button type="button" class="button" onClick={again}>
            Ask again
          </button>
        </Empty>
      ) : problem !== undefined ? (
        <Failed problem={problem} again={again} />
      ) : (
        <Loading lines={6} what="the plan" />
      )}
    </Card>
  );
}

function Pools({ plan, nowMs }: { readonly plan: Plan; readonly nowMs: number }) {
  const rows = [
    ["Included", spentText(plan)],
    ["On demand", onDemandText(plan)],
    ["Resets", resetText(plan, nowMs)],
  ].filter(([, text]) => text !== null);
  const pools = poolsOf(plan);
  return (
    <>
      {pools.length === 0 && <p class="soft">Cursor gives no percentages for this plan.</p>}
      <ul class="now-pools">
        {pools.map((pool) => (
          <PoolBar key={pool.name} pool={pool} />
        ))}
      </ul>
      <dl class="now-pairs">
        {rows.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const colors = { accent: "--accent", caution: "--caution", bad: "--bad", good: "--good", plain: "--ink-faint" };

function PoolBar({ pool }: { readonly pool: Pool }) {
  const text = poolText(pool);
  return (
    <li>
      <div class="now-pool-head">
        <span>
          {pool.name} <span class="faint">{pool.note}</span>
        </span>
        <strong>{text}</strong>
      </div>
      <Meter label={`${pool.name}: ${text}`} parts={[{ share: pool.percent / 100, color: colors[poolTone(pool)] }]} />
    </li>
  );
}
