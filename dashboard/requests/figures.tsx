import { dollars, duration, percent, shortCount, some, wholeCount } from "../../src/format.js";
import { type CountedTokens, turnTokens } from "../../src/ledger/entry.js";
import type { RequestAnswer } from "../../src/page/contract.js";
import { Card, Figure } from "../parts/card.js";
import { Meter } from "../parts/meter.js";
import { cachedShare, partsOf } from "./words.js";

interface FiguresProps extends RequestAnswer {
  readonly runsAtMs: number | undefined;
}

/** The numbers that people look for first. Times are those of the request, tokens and cost those of its turn. */
export function Figures({ entry, turn, dollars: cost, runsAtMs }: FiguresProps) {
  const { firstByteMs, totalMs } = entry;
  const tookMs = runsAtMs === undefined ? totalMs : runsAtMs - entry.atMs;
  const booked = turnTokens(turn.map((each) => each.entry));
  const tokens = booked ?? entry.context;
  const share = tokens === null ? undefined : cachedShare(tokens);
  const isTurn = turn.length > 1;
  const named = (what: string) => (isTurn ? `Turn's ${what.toLowerCase()}` : what);
  const count = (number: number) => `${tokens?.estimated ? "~" : ""}${shortCount(number)}`;
  return (
    <div class="figures">
      <Figure
        label={runsAtMs === undefined ? (isTurn ? "This request" : "Total") : "Running for"}
        value={tookMs === null ? "-" : duration(tookMs)}
        note={firstByteMs === null ? "no first byte" : `first byte ${duration(firstByteMs)}`}
      />
      {tokens !== null && (
        <Figure
          label={booked === null ? "Context" : named("Input")}
          value={count(tokens.input)}
          note={share === undefined ? "tokens" : `${percent(share)} cached`}
        />
      )}
      {tokens !== null && (
        <Figure
          label={booked === null ? "Output" : named("Output")}
          value={count(tokens.output)}
          note={tokens.reasoning > 0 ? `${shortCount(tokens.reasoning)} for reasoning` : "tokens"}
        />
      )}
      {cost !== null && (
        <Figure
          label={named("Cost")}
          value={dollars(cost)}
          note={isTurn ? some(turn.length, "request") : "at list prices"}
        />
      )}
    </div>
  );
}

export function TokensCard({ entry, turn }: RequestAnswer) {
  const took = turnTokens(turn.map((each) => each.entry));
  const { context } = entry;
  if (took === null && context === null) return null;
  return (
    <Card title="Tokens">
      <div class="tiles">
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
      <h3 class="flex between gap-3 medium below">
        {title}
        <span class="soft weight-400">{`${tokens.estimated ? "~" : ""}${some(all, "token")}`}</span>
      </h3>
      <Meter label={words} parts={parts.map(({ count, color }) => ({ share: count / Math.max(1, all), color }))} />
      <ul class="legend column small soft above-3">
        {parts.map(({ name, count, color }) => (
          <li key={name} class="row gap-2">
            <span class="swatch" style={{ background: `var(${color})` }} aria-hidden="true" />
            {name}
            <span class="ink apart">{wholeCount(count)}</span>
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
