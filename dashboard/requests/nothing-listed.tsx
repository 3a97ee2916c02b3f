import { Code } from "../parts/copy.js";
import { hrefOf } from "../parts/route.js";
import { Empty } from "../parts/states.js";
import { useLive } from "../parts/use-live.js";
import type { RequestFilter } from "./filter.js";

export function NothingListed({
  filter,
  mayBeOlder,
}: {
  readonly filter: RequestFilter;
  readonly mayBeOlder: boolean;
}) {
  const { client, model, isFailed, id } = filter;
  const asksForKey = useLive().now?.gateway.asksForKey === true;
  if (id !== "") {
    return (
      <Empty title="No request in this list has that in its id">
        <p>
          The list is not all that the ledger has.{" "}
          <a href={hrefOf("requests", id.trim())}>Look for the request {id.trim()}</a>, if this is its whole id.
        </p>
      </Empty>
    );
  }
  if (client !== "" || model !== "" || isFailed) {
    return (
      <Empty title={mayBeOlder ? "None of the newest requests is like that" : "No request is like that"}>
        <p>
          {mayBeOlder && "There may be older ones. "}
          <a href={hrefOf("requests")}>Show all requests</a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No request has come yet">
      <p>
        Every request that a client sends is listed here. <a href={hrefOf("models")}>Set up a client</a>, send one from
        the <a href={hrefOf("playground")}>playground</a>, or try this in a terminal:
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
