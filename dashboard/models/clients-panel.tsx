import { useContext, useRef } from "preact/hooks";
import type { ClientsAnswer, PageClient, PageModel } from "../../src/page/contract.js";
import { Card } from "../parts/card.js";
import { ago, some } from "../parts/format.js";
import { icons } from "../parts/icons.js";
import { FailedCard, Loading } from "../parts/states.js";
import type { Asked } from "../parts/use-answer.js";
import { useClock } from "../parts/use-clock.js";
import { LiveContext } from "../parts/use-live.js";
import { Addresses } from "./addresses.js";
import { AnyProgram } from "./any-program.js";
import { ClientItem } from "./client-item.js";
import { type GroupNames, groupClients, lastHeard, namesOf } from "./client-list.js";
import { Reach } from "./reach.js";

const TICK_MS = 10_000;
/** Not a program of its own, and so never seen: variables that many programs read. */
const ENVIRONMENT = "env";

interface ClientsPanelProps extends Asked<ClientsAnswer> {
  /** Those who were first seen while somebody looked. */
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
        <details class="card models-more-clients">
          <summary>
            <h2>{some(groups.untested.length, "more client")}</h2>
            <span class="faint models-more-note">
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
              <li key={name} class="models-row models-other">
                <span class="mono">{name}</span>
                <span class="faint models-other-seen">
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
