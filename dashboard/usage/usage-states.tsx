import { Card } from "../parts/card.js";
import { Code } from "../parts/copy.js";
import { hrefOf } from "../parts/route.js";
import { Empty, Loading } from "../parts/states.js";
import { type Range, ranges } from "./question.js";

/** Nothing went through the gateway, and what makes something go through it. */
export function NothingYet({ range }: { readonly range: Range }) {
  const when = range === "today" ? "today" : `in the last ${ranges[range].days} days`;
  return (
    <div class="card">
      <Empty title={`Nothing went through the gateway ${when}`}>
        <p>
          This command shows the clients that it can set up. Their tokens are counted here from their first request on.
        </p>
        <Code text="curlew setup" what="the command" />
        <p>
          Or see <a href={hrefOf("models")}>how each client is set up</a>, or ask something in{" "}
          <a href={hrefOf("playground")}>the playground</a>.
        </p>
      </Empty>
    </div>
  );
}

/** What is shown is not the newest. The frame says so itself while the gateway does not answer. */
export function Outdated({ problem, again }: { readonly problem: string; readonly again: () => void }) {
  return (
    <div class="usage-outdated" role="status">
      <span>{problem} What is shown may be old.</span>
      <button type="button" class="button small" onClick={again}>
        Try again
      </button>
    </div>
  );
}

/** The view before the first answer, in its later layout. */
export function StillLoading() {
  return (
    <>
      <section class="card usage-figures" aria-label="Totals">
        <Loading lines={3} what="the totals" />
      </section>
      <Card title="By day" class="usage-coming">
        <Loading lines={6} what="the days" />
      </Card>
      <div class="usage-columns">
        <Card title="By model">
          <Loading lines={5} what="the models" />
        </Card>
        <Card title="By client">
          <Loading lines={5} what="the clients" />
        </Card>
      </div>
    </>
  );
}
