import type { ComponentChildren } from "preact";
import { useContext, useRef } from "preact/hooks";
import { ago, some } from "../../src/format.js";
import type { ClientsAnswer, PageClient, PageModel } from "../../src/page/contract.js";
import { Card, Dot } from "../parts/card.js";
import { Code } from "../parts/copy.js";
import { icons } from "../parts/icons.js";
import { FailedCard, Loading } from "../parts/states.js";
import type { Asked } from "../parts/use-answer.js";
import { useClock } from "../parts/use-changes.js";
import { LiveContext } from "../parts/use-live.js";
import { AnyProgram } from "./any-program.js";
import { ClientItem } from "./client-item.js";
import { type GroupNames, groupClients, lastHeard, namesOf } from "./client-list.js";

const TICK_MS = 10_000;
/** Not a program of its own, and so never seen: variables that many programs read. */
const ENVIRONMENT = "env";

interface ClientsPanelProps extends Asked<ClientsAnswer> {
  readonly newcomers: readonly string[];
  readonly models: readonly PageModel[];
}

export function ClientsPanel({ answer, problem, again, newcomers, models }: ClientsPanelProps) {
  const { skewMs } = useContext(LiveContext).view;
  const nowMs = useClock(TICK_MS, answer !== undefined && lastHeard(answer) !== undefined) + skewMs;
  const shown = useRef<GroupNames>(undefined);
  if (answer === undefined && problem !== undefined) return <FailedCard problem={problem} again={again} />;
  if (answer === undefined) {
    return (
      <section class="card">
        <Loading what="clients" lines={9} />
      </section>
    );
  }
  const environment = answer.clients.find(({ name }) => name === ENVIRONMENT);
  const groups = groupClients(
    answer.clients.filter((client) => client !== environment),
    shown.current,
  );
  shown.current ??= namesOf(groups);
  const list = (clients: readonly PageClient[], saysTested = false) => (
    <ul>
      {clients.map((client) => (
        <ClientItem
          key={client.name}
          client={client}
          saysTested={saysTested}
          isNew={newcomers.includes(client.title)}
          nowMs={nowMs}
        />
      ))}
    </ul>
  );
  const seenUntested = groups.untested.filter(({ lastSeenMs }) => lastSeenMs !== null).length;
  return (
    <>
      <Addresses {...answer}>
        <Reach answer={answer} newcomers={newcomers} nowMs={nowMs} />
      </Addresses>
      {groups.seen.length > 0 && <Card title="Seen here">{list(groups.seen, true)}</Card>}
      {groups.tested.length > 0 && (
        <Card title="Tested clients" aside="run unmodified by Curlew's own tests">
          {list(groups.tested)}
        </Card>
      )}
      {groups.untested.length > 0 && (
        <details class="card models-client">
          <summary class="anchor row gap-3">
            <h2>{some(groups.untested.length, "more client")}</h2>
            <span class="models-seen faint right apart">
              {seenUntested > 0 ? `${seenUntested} seen` : "not tested, set up from their documentation"}
            </span>
            {icons.open}
          </summary>
          {list(groups.untested)}
        </details>
      )}
      {answer.others.length > 0 && (
        <Card title="Other clients that were seen" aside="by key, or else by what they call themselves">
          <ul>
            {answer.others.map(({ name, lastSeenMs, requests }) => (
              <li key={name} class="models-row flex wrap between gap-2" style={{ padding: "10px 0" }}>
                <span class="mono narrows any-break">{name}</span>
                <span class="faint fixed-size">
                  {some(requests, "request")} · {ago(lastSeenMs, nowMs)}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      <AnyProgram {...answer} models={models} variables={environment?.notes ?? []} />
    </>
  );
}

interface ReachProps {
  readonly answer: ClientsAnswer;
  readonly newcomers: readonly string[];
  readonly nowMs: number;
}

function Reach({ answer, newcomers, nowMs }: ReachProps) {
  const newest = newcomers.at(-1);
  const last = lastHeard(answer);
  return (
    <div class={`note row-baseline gap-3 above-5 ${newest === undefined ? "" : "good"}`}>
      <Dot tone={last === undefined ? "plain" : "good"} />
      <div>
        <strong class="ink" role="status">
          {newest === undefined ? "Does my client reach it?" : `${newest} has reached the gateway`}
        </strong>
        <p class="small soft">
          {last === undefined
            ? "No client has been seen yet. "
            : `Last heard from ${last.name}, ${ago(last.atMs, nowMs)}. `}
          {newest === undefined && "Send a message with yours: it shows up here as soon as it is answered."}
        </p>
      </div>
    </div>
  );
}

interface AddressesProps extends Pick<ClientsAnswer, "baseUrls" | "asksForKey"> {
  readonly children: ComponentChildren;
}

function Addresses({ baseUrls, asksForKey, children }: AddressesProps) {
  return (
    <Card title="Point a client here">
      <dl class="tiles">
        <div>
          <dt class="strong below">OpenAI-compatible</dt>
          <dd class="column gap-6px">
            <Code text={baseUrls.openai} what="the base URL for OpenAI-compatible clients" />
            <span class="faint">Chat Completions and Responses</span>
          </dd>
        </div>
        <div>
          <dt class="strong below">Anthropic-compatible</dt>
          <dd class="column gap-6px">
            <Code text={baseUrls.anthropic} what="the base URL for Anthropic-compatible clients" />
            <span class="faint">Messages; some clients want /v1 at the end</span>
          </dd>
        </div>
        <div>
          <dt class="strong below">API key</dt>
          <dd class="column gap-6px">
            {asksForKey ? (
              <>
                <Code text="curlew keys add NAME" what="the command that adds a key" />
                <span class="faint">Clients need a key. This makes one and prints it once.</span>
              </>
            ) : (
              <>
                <Code text="anything" what="a key that works" />
                <span class="faint">
                  No key is needed: any text works. To tell clients apart, give each one with{" "}
                  <code>curlew keys add</code>; from then on all need one.
                </span>
              </>
            )}
          </dd>
        </div>
      </dl>
      {children}
    </Card>
  );
}
