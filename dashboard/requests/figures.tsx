import type { RequestAnswer } from "../../src/page/contract.js";
import { Figure } from "../parts/card.js";
import { dollars, duration, percent, shortCount, some } from "../parts/format.js";
import { turnTokens } from "./turn-tokens.js";

interface FiguresProps extends RequestAnswer {
  /** How long it has been running; undefined if it does not. */
  readonly runningMs: number | undefined;
}

/** The numbers that people look for first. Times are those of the request, tokens and cost those of its turn. */
export function Figures({ entry, turn, dollars: cost, runningMs }: FiguresProps) {
  const { firstByteMs, totalMs } = entry;
  const tookMs = totalMs ?? runningMs;
  const booked = turnTokens(turn);
  const tokens = booked ?? entry.context;
  const isTurn = turn.length > 1;
  const ofTurn = isTurn ? " of the turn" : "";
  const count = (number: number) => `${tokens?.estimated ? "~" : ""}${shortCount(number)}`;
  return (
    <div class="requests-figures">
      <Figure
        label={runningMs === undefined ? (isTurn ? "This request" : "Total") : "Running for"}
        value={tookMs === undefined ? "-" : duration(tookMs)}
        note={firstByteMs === null ? "no first byte" : `first byte after ${duration(firstByteMs)}`}
      />
      {tokens !== null && (
        <Figure
          label={booked === null ? "Context" : `Input${ofTurn}`}
          value={count(tokens.input)}
          note={`${percent(tokens.cacheRead / Math.max(1, tokens.input))} cached`}
        />
      )}
      {tokens !== null && (
        <Figure
          label={booked === null ? "Output" : `Output${ofTurn}`}
          value={count(tokens.output)}
          note={tokens.reasoning > 0 ? `${shortCount(tokens.reasoning)} thinking` : "tokens"}
        />
      )}
      {cost !== null && (
        <Figure
          label={`Cost${ofTurn}`}
          value={dollars(cost)}
          note={isTurn ? `${some(turn.length, "request")}, list prices` : "at list prices"}
        />
      )}
    </div>
  );
}
