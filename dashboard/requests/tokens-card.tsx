import { type CountedTokens, turnTokens } from "../../src/ledger/entry.js";
import type { RequestAnswer } from "../../src/page/contract.js";
import { Card } from "../parts/card.js";
import { some, wholeCount } from "../parts/format.js";
import { Meter } from "../parts/meter.js";
import { partsOf } from "./token-parts.js";

/** What the turn took in all, and how large the context of this reply was. */
export function TokensCard({ entry, turn }: RequestAnswer) {
  const took = turnTokens(turn.map((each) => each.entry));
  const { context } = entry;
  if (took === null && context === null) return null;
  return (
    <Card title="Tokens">
      <div class="requests-tokens">
        {took !== null && <Tokens title="The whole turn" tokens={took} />}
        {context !== null && <Tokens title="The context of this reply" tokens={context} />}
      </div>
    </Card>
  );
}

function Tokens({ title, tokens }: { readonly title: string; readonly tokens: CountedTokens }) {
  const parts = partsOf(tokens);
  const all = tokens.input + tokens.output;
  const words = parts.map(({ name, count }) => `${name}: ${wholeCount(count)}`).join(", ");
  return (
    <div>
      <h3 class="requests-tokens-title">
        {title}
        <span class="soft">{`${tokens.estimated ? "~" : ""}${some(all, "token")}`}</span>
      </h3>
      <Meter label={words} parts={parts.map(({ count, color }) => ({ share: count / Math.max(1, all), color }))} />
      <ul class="requests-tokens-parts">
        {parts.map(({ name, count, color }) => (
          <li key={name}>
            <span class="requests-swatch" style={{ background: `var(${color})` }} aria-hidden="true" />
            {name}
            <span class="requests-tokens-count">{wholeCount(count)}</span>
          </li>
        ))}
      </ul>
      {(tokens.cacheWrite > 0 || tokens.estimated) && (
        <p class="faint">
          {tokens.cacheWrite > 0 && `${wholeCount(tokens.cacheWrite)} of the input were written to the cache. `}
          {tokens.estimated && "Estimated: Cursor has not reported all of it."}
        </p>
      )}
    </div>
  );
}
