import "./usage.css";
import { dollars, percent, shortCount, some, wholeCount } from "@curlew/gateway/system/format.js";
import { runsText } from "@curlew/meter/ledger/entry.js";
import type { ComponentChildren } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Sums, UsageAnswer } from "../../access/contract.js";
import { messageOf, read, UNREACHABLE } from "../api/call.js";
import { Button, Empty, FailedCard, Figure, Loading, LoadingCard, ViewHead } from "../parts/card.js";
import { Code } from "../parts/copy.js";
import { currentRoute, hrefOf, useRoute } from "../parts/route.js";
import { costLabel, costNote, estimates, warmNote } from "../parts/sum-words.js";
import { Choices } from "../parts/tabs.js";
import { LiveContext, useClock, useRefresh } from "../parts/use-live.js";
import { ByName } from "./by-name.js";
import { ByTime } from "./by-time.js";
import { daysOf, measures, parseQuestion, type Question, queryOf, type Range, ranges } from "./question.js";
import { dayOf, rangeText } from "./slots.js";

const MINUTE_MS = 60_000;

export function UsageView() {
  const { range, measure } = parseQuestion(useRoute().query);
  const { skewMs } = useContext(LiveContext).view;
  // The view changes at each new hour and day.
  const nowMs = Math.floor((useClock(MINUTE_MS, true) + skewMs) / MINUTE_MS) * MINUTE_MS;
  const { usage, problem, again } = useUsage(range, dayOf(nowMs));
  const choose = (choice: Partial<Question>) =>
    location.replace(hrefOf("usage", undefined, queryOf({ ...parseQuestion(currentRoute().query), ...choice })));
  const isOther = usage !== undefined && usage.range !== range;
  return (
    <>
      <ViewHead title="Usage" note={<p>{rangeText(nowMs, daysOf[range])}</p>}>
        <div class="usage-choices flex wrap gap-2">
          <Choices label="Range" choices={ranges} chosen={range} onChoose={(range) => choose({ range })} />
          <Choices label="Measure" choices={measures} chosen={measure} onChoose={(measure) => choose({ measure })} />
        </div>
      </ViewHead>
      {problem !== undefined && (usage === undefined || isOther) ? (
        <FailedCard problem={problem} again={again} />
      ) : usage === undefined ? (
        <StillLoading />
      ) : usage.byTime.total.requests === 0 ? (
        <NothingYet range={usage.range} />
      ) : (
        <div class="usage-body column room" aria-busy={isOther}>
          {problem !== undefined && problem !== UNREACHABLE && <Outdated problem={problem} again={again} />}
          <Figures total={usage.byTime.total} />
          <ByTime answer={usage.byTime} measure={measure} rangeName={ranges[usage.range]} nowMs={nowMs} />
          <div class="columns">
            <ByName kind="model" answer={usage.byModel} measure={measure} />
            <ByName kind="client" answer={usage.byClient} measure={measure} />
          </div>
        </div>
      )}
    </>
  );
}

/** Loads the usage of a range, and reloads it after new requests and on a new day. */
function useUsage(range: Range, today: string) {
  /** May still be of the previous range while this one loads. */
  const [usage, setUsage] = useState<Awaited<ReturnType<typeof readUsage>>>();
  const [problem, setProblem] = useState<string>();
  const load = useRef(async () => {});
  useEffect(() => {
    const leaving = new AbortController();
    load.current = async () => {
      try {
        setUsage(await readUsage(range, leaving.signal));
        setProblem(undefined);
      } catch (thrown) {
        if (!leaving.signal.aborted) setProblem(messageOf(thrown));
      }
    };
    setProblem(undefined);
    void load.current();
    return () => leaving.abort();
  }, [range, today]);
  const again = () => load.current();
  useRefresh(again);
  return { usage, problem, again };
}

/** By hour for today, else by day and model. */
async function readUsage(range: Range, signal: AbortSignal) {
  const days = daysOf[range];
  const ask = (by: UsageAnswer["by"]) => read<UsageAnswer>(`usage?by=${by}&days=${days}`, signal);
  const [byTime, byModel, byClient] = await Promise.all([
    ask(range === "today" ? "hour" : "day"),
    ask("model"),
    ask("client"),
  ]);
  return { range, byTime, byModel, byClient };
}

function NothingYet({ range }: { readonly range: Range }) {
  const when = range === "today" ? "today" : `in the last ${daysOf[range]} days`;
  return (
    <div class="card">
      <Empty title={`No requests ${when}`}>
        <p>Connect a client to see its usage here.</p>
        <Code text="curlew setup" what="the command" />
        <p>
          Or see <a href={hrefOf("models")}>how to set up each client</a>, or try the{" "}
          <a href={hrefOf("playground")}>playground</a>.
        </p>
      </Empty>
    </div>
  );
}

/** Shown if a reload failed. While the gateway is offline, the frame says so instead. */
function Outdated({ problem, again }: { readonly problem: string; readonly again: () => void }) {
  return (
    <div class="note caution row wrap between gap-2" role="status">
      <span>{problem} The data shown may be out of date.</span>
      <Button kind="small" onClick={again}>
        Try again
      </Button>
    </div>
  );
}

function StillLoading() {
  return (
    <>
      <section class="card usage-figures" aria-label="Totals">
        <Loading lines={3} what="the totals" />
      </section>
      <LoadingCard title="By day" lines={6} what="the days" />
      <div class="columns">
        <LoadingCard title="By model" lines={5} what="the models" />
        <LoadingCard title="By client" lines={5} what="the clients" />
      </div>
    </>
  );
}

function Figures({ total }: { readonly total: Sums }) {
  const { warm_share, cache_share, requests, runs_per_message, failures, cost } = total;
  const note = estimates(total);
  const count = (of: CountName) => sumOf(of, total[of], shortCount(total[of]));
  const cached = cache_share === null ? " cached" : ` cached, ${percent(cache_share)}`;
  const failed = failures > 0 && `, ${wholeCount(failures)} failed`;
  const warm = sumOf("warm_share", warm_share, warm_share === null ? "–" : percent(warm_share));
  const perMessage = sumOf("runs_per_message", runs_per_message, runs_per_message?.toFixed(2) ?? "–");
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
        <Figure label="Runs per message" value={perMessage} note={some(total.messages, "message")} />
        <Figure label="Warm turns" value={warm} note={warmNote(total)} />
        <Figure label="Saved by the cache" value={count("saved_tokens")} note="tokens served from cache" />
        <Figure label={costLabel(cost)} value={dear} note={costNote(cost)} />
      </div>
      {total.messages > 0 && <p class="faint above-4">{runsText(total, total.side_runs)}.</p>}
      {note !== undefined && <p class="faint above-4">{note}</p>}
    </section>
  );
}

type CountName = "input_tokens" | "output_tokens" | "reasoning_tokens" | "cache_read_tokens" | "turns" | "saved_tokens";

/** A sum of the gateway's answer, by its name there: short text, with the exact value in the DOM. */
function sumOf(name: string, value: number | null, text: string): ComponentChildren {
  return (
    <span data-sum={name} data-value={value ?? ""} title={value?.toLocaleString("en-US")}>
      {text}
    </span>
  );
}
