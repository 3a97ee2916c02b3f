import { bytesText, some } from "../../src/format.js";
import type { JournalDetail } from "../../src/ledger/entry.js";
import type { PageEntry, RequestAnswer } from "../../src/page/contract.js";
import { Card } from "../parts/card.js";
import { placeIn } from "./timeline/turn-times.js";
import { dialectText, outcomeText } from "./words.js";

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
      {detail === null && <p class="faint above-4">The journal has forgotten the details of this request.</p>}
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
    ["Model", `${model}${isOther ? `, asked for as ${detail.askedModel}` : ""}`],
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

/** The owner has chosen to keep what was said. */
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
