import { isFailure } from "../../src/ledger/entry.js";
import type { RequestAnswer } from "../../src/page/contract.js";
import { Card } from "../parts/card.js";

/** Why a request was as it was, in words, the most important first; and what to do about it, set apart. */
export function Why({ entry: { outcome, message }, why }: Pick<RequestAnswer, "entry" | "why">) {
  const isBad = isFailure(outcome);
  const isSaid = message === null || why.some(({ what }) => what.includes(message));
  if (why.length === 0 && isSaid) return null;
  return (
    <Card title={isBad ? "What happened, and why" : "What it cost, and why"} class={isBad ? "requests-why-bad" : ""}>
      {!isSaid && <p class="requests-why-paragraph">{message}</p>}
      {why.map(({ topic, what, advice }) => (
        <div key={`${topic} ${what}`} class="requests-why-paragraph">
          <p>{what}</p>
          {advice !== null && (
            <p class="requests-why-advice">
              <strong>What to do</strong> {advice}
            </p>
          )}
        </div>
      ))}
    </Card>
  );
}
