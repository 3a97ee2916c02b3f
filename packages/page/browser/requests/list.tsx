import { duration, some } from "@curlew/gateway/system/format.js";
import type { Ref } from "preact";
import { useMemo } from "preact/hooks";
import { Button, Empty, Failed } from "../parts/card.js";
import { Code } from "../parts/copy.js";
import { groupBy } from "../parts/group-by.js";
import { hrefOf } from "../parts/route.js";
import { useLive } from "../parts/use-live.js";
import { hasId, queryOf, type RequestFilter } from "./filter.js";
import { keyOf, type RequestList } from "./request-list.js";
import { Row } from "./row.js";
import { roundUp } from "./timeline/ticks.js";
import type { Requests } from "./use-requests.js";
import { dayText } from "./words.js";

/** Highlight new rows only up to this number: more would make the whole list blink. */
const MAX_NOTICED = 5;

interface ListProps {
  readonly requests: Requests;
  readonly filter: RequestFilter;
  readonly openId: string | undefined;
  readonly box: Ref<HTMLElement>;
}

export function List({ requests, filter, openId, box }: ListProps) {
  const { list, problem, loading, again, showOlder, showNew } = requests;
  const entries = useMemo(
    () => list?.entries.filter((entry) => hasId(entry, filter)) ?? [],
    [list?.entries, filter.id],
  );
  const nowMs = Date.now();
  const isFew = (list?.fresh.size ?? 0) <= MAX_NOTICED;
  const scaleMs = roundUp(Math.max(1, ...entries.map(({ totalMs }) => totalMs ?? 0)));
  return (
    <section class="card requests-list anchor" aria-label="List of requests" aria-busy={loading === "newest"} ref={box}>
      {list !== undefined && (
        <NewRequests list={list} onShow={showNew} isFiltered={filter.client + filter.model !== "" || filter.isFailed} />
      )}
      {(list === undefined || entries.length > 0) && <Head scaleMs={scaleMs} />}
      {list === undefined && (problem === undefined ? <Skeleton /> : <Failed problem={problem} again={again} />)}
      {[...groupBy(entries, ({ atMs }) => dayText(atMs, nowMs))].map(([day, entries]) => (
        <section key={day} aria-label={day}>
          <h2 class="requests-day tiny pale strong">{day}</h2>
          <ol>
            {entries.map((entry) => (
              <Row
                key={keyOf(entry)}
                entry={entry}
                href={hrefOf("requests", entry.id, queryOf(filter))}
                isOpen={entry.id === openId}
                isFresh={isFew && list?.fresh.has(entry) === true}
                scaleMs={scaleMs}
              />
            ))}
          </ol>
        </section>
      ))}
      {list !== undefined && entries.length === 0 && (
        <NothingListed filter={filter} mayBeOlder={list.before !== null} />
      )}
      {list !== undefined && (
        <footer class="requests-older column gap-2 small">
          {problem !== undefined && <span role="alert">{problem}</span>}
          {list.before !== null ? (
            <Button onClick={showOlder} disabled={loading !== undefined}>
              {loading === "older" ? "Loading older" : "Load older"}
            </Button>
          ) : (
            entries.length > 0 && <span class="faint">No older requests.</span>
          )}
        </footer>
      )}
    </section>
  );
}

/** The column titles. Hidden from screen readers, for which each row labels its numbers. */
function Head({ scaleMs }: { readonly scaleMs: number }) {
  return (
    <div class="request request-wide requests-head grid tiny pale medium" aria-hidden="true">
      <span>Time</span>
      <span class="request-client">Client</span>
      <span class="request-model">Model</span>
      <span class="right">
        Input <span class="request-cached pale">cached</span>
      </span>
      <span class="right">Output</span>
      <span class="request-state">Continuity</span>
      <span class="request-wide right">First byte</span>
      <span class="right">Total</span>
      <span class="flex between">
        {scaleMs > 1 && (
          <>
            <span>0</span>
            <span>{duration(scaleMs)}</span>
          </>
        )}
      </span>
      <span class="request-wide">Id</span>
    </div>
  );
}

interface NewRequestsProps {
  readonly list: RequestList;
  readonly isFiltered: boolean;
  readonly onShow: () => void;
}

/** Announces new requests above the list instead of inserting them, so that nothing moves under the pointer. */
function NewRequests({ list: { held, missed, isCut }, isFiltered, onShow }: NewRequestsProps) {
  const isBusy = missed > 0;
  const count = held.length + (isFiltered ? 0 : missed);
  const isShown = held.length > 0 || isBusy || isCut;
  const text =
    count === 0 ? "Newest requests" : `${some(count, "new request")}${isBusy && isFiltered ? " or more" : ""}`;
  return (
    <div class="requests-new column gap-1">
      <span class="unseen" role="status">
        {isShown && "There are new requests."}
      </span>
      {isShown && (
        <Button kind="first small" onClick={onShow}>
          {text}
        </Button>
      )}
    </div>
  );
}

function Skeleton() {
  return (
    <div role="status">
      <span class="unseen">Loading requests</span>
      {Array.from({ length: 12 }, (_, index) => (
        <div key={index} class="requests-skeleton row" aria-hidden="true">
          <span class="loading" style={{ width: `${88 - ((index * 17) % 30)}%` }} />
        </div>
      ))}
    </div>
  );
}

function NothingListed({ filter, mayBeOlder }: { readonly filter: RequestFilter; readonly mayBeOlder: boolean }) {
  const { client, model, isFailed, id } = filter;
  const asksForKey = useLive().now?.gateway.asksForKey === true;
  if (id !== "") {
    return (
      <Empty title="No listed request has this id">
        <p>
          Only the loaded requests are searched. If this is a full id,{" "}
          <a href={hrefOf("requests", id.trim())}>look up the request {id.trim()}</a>.
        </p>
      </Empty>
    );
  }
  if (client !== "" || model !== "" || isFailed) {
    return (
      <Empty title={mayBeOlder ? "No recent requests match" : "No requests match"}>
        <p>
          {mayBeOlder && "Older ones may match. "}
          <a href={hrefOf("requests")}>Show all requests</a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No requests yet">
      <p>
        Requests from your clients are listed here. <a href={hrefOf("models")}>Set up a client</a>, send one from the{" "}
        <a href={hrefOf("playground")}>playground</a>, or try this in a terminal:
      </p>
      <div class="above-2" style={{ width: "100%", maxWidth: "640px", textAlign: "left" }}>
        <Code what="a request to try" text={tryIt(asksForKey)} />
      </div>
    </Empty>
  );
}

function tryIt(asksForKey: boolean): string {
  const body = JSON.stringify({ model: "auto", messages: [{ role: "user", content: "Hello" }] });
  const key = asksForKey ? " -H 'authorization: Bearer YOUR_KEY'" : "";
  return `curl ${location.origin}/v1/chat/completions \\\n  -H 'content-type: application/json'${key} \\\n  -d '${body}'`;
}
