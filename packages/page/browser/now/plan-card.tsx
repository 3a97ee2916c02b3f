import { dollars } from "@curlew/gateway/system/format.js";
import type { PlanAnswerBody } from "../../access/contract.js";
import { Button, Card, Empty, Failed, Loading, Meter } from "../parts/card.js";
import type { Asked } from "../parts/use-live.js";

/** Plan usage. Only Cursor knows it, so it may arrive late or not at all. */
export function PlanCard({ asked, nowMs }: { readonly asked: Asked<PlanAnswerBody>; readonly nowMs: number }) {
  const { answer, problem, again } = asked;
  const plan = answer?.plan ?? null;
  const title = plan === null ? undefined : [plan.plan, plan.price].filter((part) => part !== null).join(", ");
  return (
    <Card title="Plan" aside={title}>
      {plan !== null ? (
        <Pools plan={plan} nowMs={nowMs} />
      ) : answer !== undefined ? (
        <Empty title="Plan usage is unavailable">
          <p>{answer.problem}</p>
          <Button onClick={again}>Ask again</Button>
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
      {pools.length === 0 && <p class="soft">Cursor reports no percentages for this plan.</p>}
      <ul class="column gap-4">
        {pools.map((pool) => (
          <li key={pool.name}>
            <div class="row-baseline between gap-3 below">
              <span>
                {pool.name} <span class="faint">{pool.note}</span>
              </span>
              <strong>{poolText(pool)}</strong>
            </div>
            <Meter
              label={`${pool.name}: ${poolText(pool)}`}
              parts={[{ share: pool.percent / 100, color: `--${poolTone(pool)}` }]}
            />
          </li>
        ))}
      </ul>
      <dl class="ruled grid gap-2 small above-5">
        {rows.map(([name, text]) => (
          <div key={name} class="flex between gap-3">
            <dt class="soft">{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export type Plan = NonNullable<PlanAnswerBody["plan"]>;

const DAY_MS = 24 * 60 * 60_000;
const NEARLY = 80;

export function poolsOf({ auto_percent_used, api_percent_used, percent_used }: Plan) {
  return [
    { name: "Cursor Models", note: "Auto and Composer", percent: auto_percent_used },
    { name: "Other Models", note: "chosen by name", percent: api_percent_used },
    { name: "Total", note: "of the included usage", percent: percent_used },
  ].flatMap(({ percent, ...pool }) => (percent === null ? [] : [{ ...pool, percent }]));
}

type Pool = ReturnType<typeof poolsOf>[number];

function poolTone({ percent }: Pool) {
  return percent >= 100 ? "bad" : percent >= NEARLY ? "caution" : "accent";
}

/** 78.1%, with a remark if high. */
export function poolText(pool: Pool): string {
  const share = `${Number(pool.percent.toFixed(1))}%`;
  return `${share}${{ bad: ", used up", caution: ", almost used up", accent: "" }[poolTone(pool)]}`;
}

/** `$11.82 of $20.00`; null if Cursor does not say. */
export function spentText({ spent_cents, included_cents }: Plan): string | null {
  return spent_cents === null ? null : usedText(spent_cents, included_cents);
}

/** `$3.50 of $50.00`; null if nothing can be used on demand. */
export function onDemandText({ on_demand }: Plan): string | null {
  if (on_demand === null) return null;
  const { used_cents, limit_cents } = on_demand;
  if (limit_cents === "unlimited") return `${cents(used_cents)}, no limit`;
  return usedText(used_cents, limit_cents);
}

function usedText(usedCents: number, ofCents: number | null): string {
  return ofCents === null ? cents(usedCents) : `${cents(usedCents)} of ${cents(ofCents)}`;
}

/** `4 Dec, in 18 days`; null if Cursor does not say. */
export function resetText({ resets }: Plan, nowMs: number): string | null {
  if (resets === null) return null;
  const days = Math.ceil((Date.parse(resets) - nowMs) / DAY_MS);
  if (days <= 0) return dayOf(resets);
  return `${dayOf(resets)}, ${days === 1 ? "within a day" : `in ${days} days`}`;
}

function cents(amount: number): string {
  return amount === 0 ? "$0.00" : dollars(amount / 100);
}

function dayOf(iso: string): string {
  return new Date(iso).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}
