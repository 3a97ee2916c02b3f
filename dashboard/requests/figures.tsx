import { turnTokens } from "../../src/ledger/entry.js";
import type { RequestAnswer } from "../../src/page/contract.js";
import { Figure } from "../parts/card.js";
import { dollars, duration, percent, shortCount, some } from "../parts/format.js";
import { cachedShare } from "./token-parts.js";

interface FiguresProps extends RequestAnswer {
  /** The time, while it is being answered. */
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
    <div class="requests-figures">
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
