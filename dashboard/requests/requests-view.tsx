import "./requests.css";
import "./detail.css";
import "./timeline/timeline.css";
import { useRef } from "preact/hooks";
import { some } from "../parts/format.js";
import { hrefOf, useRoute } from "../parts/route.js";
import { useLive } from "../parts/use-live.js";
import { Detail } from "./detail.js";
import { filterOf, queryOf } from "./filter.js";
import { FilterBar } from "./filter-bar.js";
import { List } from "./list.js";
import { rowAfter, useKeptPlace, useOpening } from "./use-opening.js";
import { useRequests } from "./use-requests.js";

/** A list may move by itself while it is scrolled no further than this. */
const TOP_PX = 8;

/** The requests that came, and beside them the one that is open. */
export function RequestsView({ id }: { readonly id: string | undefined }) {
  const filter = filterOf(useRoute().query);
  const query = queryOf(filter);
  const listHref = hrefOf("requests", undefined, query);
  const box = useRef<HTMLElement>(null);
  const mayMove = () => {
    const list = box.current;
    if (list === null || id !== undefined || scrollY > TOP_PX) return false;
    return !list.matches(":hover") && !list.contains(document.activeElement);
  };
  const requests = useRequests(filter, { mayMove, beforeOlder: useKeptPlace(box) });
  useOpening(id, listHref, box, requests.list !== undefined);
  const onKeyDown = (event: KeyboardEvent) => {
    const rows = [...(box.current?.querySelectorAll<HTMLElement>("a.request") ?? [])];
    const next = rowAfter(event.key, rows.indexOf(event.target as HTMLElement), rows.length);
    if (next === undefined) return;
    event.preventDefault();
    rows[next]?.focus();
  };
  return (
    <div class={`requests ${id === undefined ? "" : "requests-open"}`}>
      <header class="view-head">
        <div>
          <h1 tabIndex={-1}>Requests</h1>
          <Summary isBusy={(requests.list?.missed ?? 0) > 0} />
        </div>
      </header>
      <FilterBar filter={filter} openId={id} />
      <div class="requests-body">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys go from link to link, which tab keys do too */}
        <div class="requests-side" onKeyDown={onKeyDown}>
          <List
            requests={{
              ...requests,
              showNew() {
                requests.showNew();
                scrollTo(0, 0);
              },
            }}
            filter={filter}
            openId={id}
            box={box}
          />
        </div>
        {id !== undefined && <Detail id={id} listHref={listHref} hrefOf={(each) => hrefOf("requests", each, query)} />}
      </div>
    </div>
  );
}

/** It stays one line, so that the list does not move when it changes. */
function Summary({ isBusy }: { readonly isBusy: boolean }) {
  const today = useLive().now?.today;
  if (isBusy) return <p class="requests-busy">They come too fast to list them all</p>;
  if (today === undefined) return <p>The newest first</p>;
  const failures = today.failures === 0 ? "" : `, ${today.failures} of them failed`;
  return <p>{`${some(today.requests, "request")} today${failures}`}</p>;
}
