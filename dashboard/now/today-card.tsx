import type { Sums } from "../../src/page/contract.js";
import { Card, Figure } from "../parts/card.js";
import { dollars, percent, shortCount, some, wholeCount } from "../parts/format.js";
import { Meter } from "../parts/meter.js";
import { hrefOf } from "../parts/route.js";
import { estimates } from "../parts/tokens.js";
import { tokenParts } from "./token-parts.js";

/** What today has cost, and how much of it was spared. */
export function TodayCard({ today }: { readonly today: Sums }) {
  const parts = tokenParts(today);
  const note = estimates(today.turns, today.estimated_turns);
  const words = parts.map(({ name, tokens }) => `${name} ${wholeCount(tokens)}`).join(", ");
  return (
    <Card title="Today" class="now-today" aside={<RequestCount {...today} />}>
      <div class="now-figures">
        <Figure
          label="Tokens"
          value={shortCount(today.input_tokens + today.output_tokens)}
          note={`${shortCount(today.input_tokens)} in, ${shortCount(today.output_tokens)} out`}
        />
        <Figure
          label="Saved by the cache"
          value={shortCount(today.saved_tokens)}
          note={
            today.cache_share === null
              ? "tokens not read again"
              : `${percent(today.cache_share)} of the input, not read again`
          }
        />
        <Figure
          label="Warm replies"
          value={today.warm_share === null ? "–" : percent(today.warm_share)}
          note={warmNote(today)}
        />
        <Cost {...today.cost} />
      </div>
      <Meter label={`Tokens today: ${words}`} parts={parts} />
      <ul class="now-legend">
        {parts.map(({ name, tokens, color }) => (
          <li key={name}>
            <span class="now-swatch" style={{ background: `var(${color})` }} />
            {name} <strong>{shortCount(tokens)}</strong>
          </li>
        ))}
      </ul>
      {note !== undefined && <p class="faint">{note}</p>}
    </Card>
  );
}

function RequestCount({ requests, failures }: Sums) {
  return (
    <a href={hrefOf("requests")}>
      {some(requests, "request")}
      {failures > 0 && `, ${wholeCount(failures)} failed`}
    </a>
  );
}

function warmNote({ warm_replies, cold_replies }: Sums): string {
  if (warm_replies + cold_replies === 0) return "continued their conversation";
  return `${wholeCount(warm_replies)} of ${wholeCount(warm_replies + cold_replies)} continued their conversation`;
}

/** A price that is not known is not zero. */
function Cost({ dollars: known, unpriced_models: unpriced }: Sums["cost"]) {
  const missing = unpriced.length === 0 ? "" : namesOf(unpriced);
  if (known === null) return <Figure label="Cost" value="–" note={`There is no list price for ${missing}`} />;
  const note = missing === "" ? "at Cursor's list prices" : `at list prices; none for ${missing}`;
  return <Figure label={missing === "" ? "Cost" : "Cost, at least"} value={dollars(known)} note={note} />;
}

const MOST_NAMES = 2;

function namesOf(models: readonly string[]): string {
  const named = models.slice(0, MOST_NAMES);
  const more = models.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(" and ");
}
