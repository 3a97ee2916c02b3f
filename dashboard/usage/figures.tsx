import type { ComponentChildren } from "preact";
import { dollars, percent, shortCount, some, wholeCount } from "../../src/format.js";
import type { Sums } from "../../src/page/contract.js";
import { Figure } from "../parts/card.js";
import { costLabel, costNote, estimates, warmNote } from "../parts/sum-words.js";

export function Figures({ total }: { readonly total: Sums }) {
  const { warm_share, cache_share, requests, failures, cost } = total;
  const note = estimates(total);
  const count = (of: CountName) => sumOf(of, total[of], shortCount(total[of]));
  const cached = cache_share === null ? " cached" : ` cached, ${percent(cache_share)}`;
  const failed = failures > 0 && `, ${wholeCount(failures)} failed`;
  const warm = sumOf("warm_share", warm_share, warm_share === null ? "–" : percent(warm_share));
  const dear = sumOf("dollars", cost.dollars, cost.dollars === null ? "–" : dollars(cost.dollars));
  return (
    <section class="card usage-figures" aria-label="Totals">
      <div class="figures">
        <Figure label="Tokens in" value={count("input_tokens")} note={[count("cache_read_tokens"), cached]} />
        <Figure
          label="Tokens out"
          value={count("output_tokens")}
          note={[count("reasoning_tokens"), " for reasoning"]}
        />
        <Figure
          label="Turns"
          value={count("turns")}
          note={[sumOf("requests", requests, some(requests, "request")), failed]}
        />
        <Figure label="Warm replies" value={warm} note={warmNote(total)} />
        <Figure label="Saved by the cache" value={count("saved_tokens")} note="tokens not read again" />
        <Figure label={costLabel(cost)} value={dear} note={costNote(cost)} />
      </div>
      {note !== undefined && <p class="faint above-4">{note}</p>}
    </section>
  );
}

type CountName = "input_tokens" | "output_tokens" | "reasoning_tokens" | "cache_read_tokens" | "turns" | "saved_tokens";

/** A sum of the gateway's answer, by its name there: shown in few characters, and exactly in the document. */
function sumOf(name: string, value: number | null, text: string): ComponentChildren {
  return (
    <span data-sum={name} data-value={value ?? ""} title={value?.toLocaleString("en-US")}>
      {text}
    </span>
  );
}
