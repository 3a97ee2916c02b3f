import { dollars, percent, shortCount, some, wholeCount } from "@curlew/gateway/system/format.js";
import { runsText } from "@curlew/meter/ledger/entry.js";
import type { Sums } from "../../access/contract.js";
import { Card, Figure, Meter } from "../parts/card.js";
import { hrefOf } from "../parts/route.js";
import { costLabel, costNote, estimates, splitSums, warmNote } from "../parts/sum-words.js";

export function TodayCard({ today }: { readonly today: Sums }) {
  const { input_tokens, output_tokens, cache_share, warm_share, cost } = today;
  const parts = tokenParts(today);
  const estimated = estimates(today);
  const words = parts.map(({ name, tokens }) => `${name} ${wholeCount(tokens)}`).join(", ");
  return (
    <Card title="Today" class="now-today" aside={<RequestCount {...today} />}>
      <div class="figures">
        <Figure
          label="Tokens"
          value={shortCount(input_tokens + output_tokens)}
          note={`${shortCount(input_tokens)} in, ${shortCount(output_tokens)} out`}
        />
        <Figure
          label="Saved by the cache"
          value={shortCount(today.saved_tokens)}
          note={cache_share === null ? "served from cache" : `${percent(cache_share)} of input served from cache`}
        />
        <Figure label="Warm turns" value={warm_share === null ? "–" : percent(warm_share)} note={warmNote(today)} />
        <Figure
          label={costLabel(cost)}
          value={cost.dollars === null ? "–" : dollars(cost.dollars)}
          note={costNote(cost)}
        />
      </div>
      <Meter label={`Tokens today: ${words}`} parts={parts} />
      <ul class="legend flex wrap small soft above-3">
        {parts.map(({ name, tokens, color }) => (
          <li key={name} class="row gap-6px">
            <span class="swatch" style={{ background: `var(${color})` }} />
            {name} <strong class="ink">{shortCount(tokens)}</strong>
          </li>
        ))}
      </ul>
      {today.messages > 0 && <p class="soft small above-3">{runsText(today, today.side_runs)}.</p>}
      {estimated !== undefined && <p class="faint above-2">{estimated}</p>}
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

/** Keeps small parts visible. */
const LEAST_SHARE = 0.008;

export function tokenParts(sums: Sums) {
  const { cached, fresh, reasoning, said } = splitSums(sums);
  const parts = [
    { name: "Cached input", tokens: cached, color: "--of-cached" },
    { name: "New input", tokens: fresh, color: "--of-input" },
    { name: "Output", tokens: said, color: "--of-output" },
    { name: "Reasoning", tokens: reasoning, color: "--of-reasoning" },
  ];
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const widths = parts.map(({ tokens }) => (tokens === 0 ? 0 : Math.max(tokens / total, LEAST_SHARE)));
  const all = widths.reduce((sum, width) => sum + width, 0);
  return parts.map((part, index) => ({ ...part, share: all === 0 ? 0 : (widths[index] ?? 0) / all }));
}
