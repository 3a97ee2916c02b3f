import { ago, some } from "@curlew/gateway/system/format.js";
import type { ComponentChildren, ComponentProps } from "preact";
import { useContext, useRef } from "preact/hooks";
import type { ClientsAnswer, PageClient, PageModel } from "../../access/contract.js";
import { Card, Dot, FailedCard, LoadingCard } from "../parts/card.js";
import { Code } from "../parts/copy.js";
import { icons } from "../parts/icons.js";
import { type Asked, LiveContext, useClock } from "../parts/use-live.js";
import { AnyProgram } from "./any-program.js";
import { ClientItem } from "./client-item.js";
import { groupClients, lastHeard } from "./client-list.js";

const TICK_MS = 10_000;
/** Not a program, so never seen: variables that many programs read. */
const ENVIRONMENT = "env";

interface ClientsPanelProps extends Asked<ClientsAnswer> {
  readonly newcomers: readonly string[];
  readonly models: readonly PageModel[];
}

export function ClientsPanel({ answer, problem, again, newcomers, models }: ClientsPanelProps) {
  const { skewMs } = useContext(LiveContext).view;
  const nowMs = useClock(TICK_MS, answer !== undefined && lastHeard(answer) !== undefined) + skewMs;
  const first = useRef<readonly PageClient[]>(undefined);
  if (answer === undefined && problem !== undefined) return <FailedCard problem={problem} again={again} />;
  if (answer === undefined) return <LoadingCard what="clients" lines={9} />;
  const environment = answer.clients.find(({ name }) => name === ENVIRONMENT);
  const programs = answer.clients.filter((client) => client !== environment);
  first.current ??= programs;
  const groups = groupClients(programs, first.current);
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
      <Card title="Point a client here">
        <Addresses {...answer} />
        <Reach answer={answer} newcomers={newcomers} nowMs={nowMs} />
      </Card>
      {groups.seen.length > 0 && <Card title="Seen here">{list(groups.seen, true)}</Card>}
      {groups.tested.length > 0 && (
        <Card title="Tested clients" aside="run unmodified by Curlew's own tests">
          {list(groups.tested)}
        </Card>
      )}
      {groups.untested.length > 0 && (
        <details class="card models-client">
          <summary class="anchor row gap-3" style={{ minHeight: "28px" }}>
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
        <Card title="Other clients that were seen" aside="by key name or user agent">
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
          {newest === undefined ? "Does my client reach the gateway?" : `${newest} has reached the gateway`}
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

function Addresses({ baseUrls, asksForKey }: ClientsAnswer) {
  return (
    <dl class="tiles">
      <Address name="OpenAI-compatible" text={baseUrls.openai} what="the base URL for OpenAI-compatible clients">
        Chat Completions and Responses
      </Address>
      <Address
        name="Anthropic-compatible"
        text={baseUrls.anthropic}
        what="the base URL for Anthropic-compatible clients"
      >
        Messages; some clients expect /v1 at the end
      </Address>
      {asksForKey ? (
        <Address name="API key" text="curlew keys add NAME" what="the command that adds a key">
          Clients need a key. This command creates one and prints it once.
        </Address>
      ) : (
        <Address name="API key" text="anything" what="a key that works">
          No key is required; any text works. To tell clients apart, create a key for each with{" "}
          <code>curlew keys add</code>. Keys are then required.
        </Address>
      )}
    </dl>
  );
}

interface AddressProps extends ComponentProps<typeof Code> {
  readonly name: string;
  readonly children: ComponentChildren;
}

function Address({ name, text, what, children }: AddressProps) {
  return (
    <div>
      <dt class="strong below">{name}</dt>
      <dd class="column gap-6px">
        <Code text={text} what={what} />
        <span class="faint">{children}</span>
      </dd>
    </div>
  );
}
