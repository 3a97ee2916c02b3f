import type { ComponentChildren } from "preact";
import type { Sums } from "../../src/page/contract.js";
import { Figure } from "../parts/card.js";
import { dollars, percent, shortCount, some, wholeCount } from "../parts/format.js";
import { costLabel, costNote, estimates, warmNote } from "../parts/sum-words.js";

/** What the range comes to. */
export function Figures({ total }: { readonly total: Sums }) {
  const note = estimates(total);
  return (
    <section class="card usage-figures" aria-label="Totals">
      <div class="usage-figure-row">
        <Figure
          label="Tokens in"
          value={<Count of="input_tokens" total={total} />}
          note={<CachedNote total={total} />}
        />
        <Figure
          label="Tokens out"
          value={<Count of="output_tokens" total={total} />}
          note={
            <>
              <Count of="reasoning_tokens" total={total} /> for reasoning
            </>
          }
        />
        <Figure
          label="Turns"
          value={<Count of="turns" total={total} />}
          note={
            <>
              <Sum of="requests" value={total.requests}>
                {some(total.requests, "request")}
              </Sum>
              {total.failures > 0 && `, ${wholeCount(total.failures)} failed`}
            </>
          }
        />
        <Figure
          label="Warm replies"
          value={
            <Sum of="warm_share" value={total.warm_share}>
              {total.warm_share === null ? "–" : percent(total.warm_share)}
            </Sum>
          }
          note={warmNote(total)}
        />
        <Figure
          label="Saved by the cache"
          value={<Count of="saved_tokens" total={total} />}
          note="tokens not read again"
        />
        <Cost cost={total.cost} />
      </div>
      {note !== undefined && <p class="faint">{note}</p>}
    </section>
  );
}

type CountName = "input_tokens" | "output_tokens" | "reasoning_tokens" | "cache_read_tokens" | "turns" | "saved_tokens";

function Count({ of, total }: { readonly of: CountName; readonly total: Sums }) {
  return (
    <Sum of={of} value={total[of]}>
      {shortCount(total[of])}
    </Sum>
  );
}

function CachedNote({ total }: { readonly total: Sums }) {
  return (
    <>
      <Count of="cache_read_tokens" total={total} /> cached
      {total.cache_share !== null && `, ${percent(total.cache_share)}`}
    </>
  );
}

function Cost({ cost }: Pick<Sums, "cost">) {
  return (
    <Figure
      label={costLabel(cost)}
      value={
        <Sum of="dollars" value={cost.dollars}>
          {cost.dollars === null ? "–" : dollars(cost.dollars)}
        </Sum>
      }
      note={costNote(cost)}
    />
  );
}

interface SumProps {
  /** Its name in the gateway's answer. */
  readonly of: string;
  readonly value: number | null;
  readonly children: ComponentChildren;
}

/** A sum of the gateway's answer: shown in few characters, and exactly in the document. */
function Sum({ of, value, children }: SumProps) {
  return (
    <span data-sum={of} data-value={value ?? ""} title={value === null ? undefined : value.toLocaleString("en-US")}>
      {children}
    </span>
  );
}
