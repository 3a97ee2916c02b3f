import type { Sums } from "../../src/page/contract.js";
import { Card, Figure } from "../parts/card.js";
import { dollars, percent, shortCount, some, wholeCount } from "../parts/format.js";
import { Meter } from "../parts/meter.js";
import { hrefOf } from "../parts/route.js";
import { costLabel, costNote, estimates, warmNote } from "../parts/sum-words.js";
import { tokenParts } from "./token-parts.js";

/** What today has cost, and how much of it was spared. */
export function TodayCard({ today }: { readonly today: Sums }) {
  const parts = tokenParts(today);
  const estimated = estimates(today);
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
        <Figure
          label={costLabel(today.cost)}
          value={today.cost.dollars === null ? "–" : dollars(today.cost.dollars)}
          note={costNote(today.cost)}
        />
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
      {estimated !== undefined && <p class="faint">{estimated}</p>}
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
