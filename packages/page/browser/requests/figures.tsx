import { bytesText, dollars, duration, percent, shortCount, some, wholeCount } from "@curlew/gateway/system/format.js";
import { type CountedTokens, type JournalDetail, turnTokens } from "@curlew/meter/ledger/entry.js";
import type { PageEntry, RequestAnswer } from "../../access/contract.js";
import { Card, Figure, Meter } from "../parts/card.js";
import { placeIn } from "./timeline/turn-times.js";
import { cachedShare, dialectText, outcomeText, partsOf } from "./words.js";

interface FiguresProps extends RequestAnswer {
  readonly runsAtMs: number | undefined;
}

/** Key figures. Times are those of the request, tokens and cost those of its turn. */
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
      <ul class="legend column small soft above-3" style={{ marginBottom: "var(--gap-2)" }}>
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
          {tokens.cacheWrite > 0 && `${wholeCount(tokens.cacheWrite)} of the input tokens were written to the cache. `}
          {tokens.estimated && "Estimated: Cursor has not reported all of it."}
        </p>
      )}
    </div>
  );
}

type Fact = readonly [name: string, text: string];

export function FactsCard({ entry, detail, turn }: RequestAnswer) {
  const isOver = entry.totalMs !== null || entry.outcome !== "ok";
  const facts: Fact[] = [
    ...whatItWas(entry, detail),
    ...(turn.length > 1 ? ([["Turn", `request ${placeIn(turn, entry) + 1} of ${turn.length}`]] as const) : []),
    ...(isOver ? whatItTook(entry, detail) : []),
  ];
  return (
    <Card title="The request">
      <dl class="tiles narrow">
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt class="tiny pale">{name}</dt>
            <dd class="plain-size any-break">{text}</dd>
          </div>
        ))}
      </dl>
      {detail === null && <p class="faint above-4">The details of this request are no longer available.</p>}
      {detail?.texts != null && <Texts {...detail.texts} />}
    </Card>
  );
}

function whatItWas({ client, model, dialect, backend, atMs }: PageEntry, detail: JournalDetail | null): Fact[] {
  const isOther = detail !== null && detail.askedModel !== model;
  const how = detail === null ? "" : detail.stream ? ", streamed" : ", not streamed";
  return [
    ["Received", exactTime(atMs)],
    ["Client", client || "unknown"],
    ...(detail?.userAgent ? ([["User agent", detail.userAgent]] as const) : []),
    ["Model", `${model}${isOther ? `, requested as ${detail.askedModel}` : ""}`],
    ["Dialect", `${dialectText(dialect)}${how}`],
    ...(backend === null ? [] : ([["Backend", backend]] as const)),
  ];
}

function whatItTook(entry: PageEntry, detail: JournalDetail | null): Fact[] {
  const { runs, retries, sentBytes, receivedBytes, toolRounds, outcome, abandoned } = entry;
  return [
    ["Outcome", `${outcomeText(outcome)}${detail?.status == null ? "" : `, status ${detail.status}`}`],
    ["At Cursor", `${some(runs, "run")}, ${some(retries, "retry", "retries")}`],
    ["To and from Cursor", `${bytesText(sentBytes)} sent, ${bytesText(receivedBytes)} received`],
    ...(toolRounds === 0 ? [] : ([["Tools", some(toolRounds, "round")]] as const)),
    ...(detail === null ? [] : ([["Request and reply", sizesText(detail)]] as const)),
    ...(detail?.joined == null ? [] : ([["Repeats", detail.joined]] as const)),
    ...(abandoned === null ? [] : ([["Run given up", outcomeText(abandoned)]] as const)),
  ];
}

function sizesText({ bodyBytes, replyBytes, clientCalls }: JournalDetail): string {
  const calls = clientCalls === 0 ? "" : `, ended with ${some(clientCalls, "tool call")}`;
  return `${bytesText(bodyBytes)} in, ${bytesText(replyBytes)} out${calls}`;
}

/** 16 Nov 2026, 14:05:09.123 */
function exactTime(atMs: number): string {
  const day = { day: "numeric", month: "short", year: "numeric" } as const;
  const time = { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 } as const;
  return new Date(atMs).toLocaleString("en-GB", { ...day, ...time });
}

/** Only if the owner has chosen to keep texts. */
function Texts({ asked, answered }: { readonly asked: string; readonly answered: string }) {
  return (
    <details class="requests-texts">
      <summary>What was said</summary>
      <h3 class="above-3">Asked</h3>
      <pre class="sunken rounded pad-3 any-break">{asked}</pre>
      <h3 class="above-3">Answered</h3>
      <pre class="sunken rounded pad-3 any-break">{answered}</pre>
    </details>
  );
}
