import "./models.css";
import { some } from "@curlew/gateway/system/format.js";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ClientsAnswer, ModelsAnswer, PageModel } from "../../access/contract.js";
import { Button, Empty, FailedCard, LoadingCard, ViewHead } from "../parts/card.js";
import { hrefOf } from "../parts/route.js";
import { Choices, Tabs } from "../parts/tabs.js";
import { type Asked, useAnswer, useRefresh } from "../parts/use-live.js";
import { newcomers } from "./client-list.js";
import { ClientsPanel } from "./clients-panel.js";
import { effortExample, largestContext, type Order, orders, searchModels, sortModels } from "./model-list.js";
import { ModelRow } from "./model-row.js";

export function ModelsView({ item }: { readonly item: string | undefined }) {
  const models = useAnswer<ModelsAnswer>("models");
  const clients = useAnswer<ClientsAnswer>("clients");
  const newcomers = useNewcomers(clients.answer, clients.again);
  const chosen = item === "clients" ? "clients" : "models";
  return (
    <>
      <ViewHead title="Models and clients" note={<p>The models you can use, and how to connect your clients.</p>} />
      <Tabs
        label="Models and clients"
        choices={{ models: "Models", clients: "Clients" }}
        chosen={chosen}
        // `replace`: tabs get no entries in the browser history.
        onChoose={(name) => location.replace(hrefOf("models", name === "models" ? undefined : name))}
      >
        {chosen === "models" ? (
          <ModelsPanel {...models} />
        ) : (
          <ClientsPanel {...clients} newcomers={newcomers} models={models.answer?.models ?? []} />
        )}
      </Tabs>
    </>
  );
}

/** Reloads the clients when requests have ended. Returns those first seen since the view was opened, newest last. */
function useNewcomers(answer: ClientsAnswer | undefined, again: () => void): readonly string[] {
  useRefresh(async () => again());
  const before = useRef(answer);
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    if (before.current !== undefined && answer !== undefined) {
      const found = newcomers(before.current, answer);
      if (found.length > 0) setNames((known) => [...known, ...found]);
    }
    before.current = answer;
  }, [answer]);
  return names;
}

function ModelsPanel({ answer, problem, again }: Asked<ModelsAnswer>) {
  const [search, setSearch] = useState("");
  const [order, setOrder] = useState<Order>("listed");
  if (answer === undefined && problem !== undefined) return <FailedCard problem={problem} again={again} />;
  if (answer === undefined) {
    return (
      <>
        <ComingNaming />
        <LoadingCard what="models" lines={9} />
      </>
    );
  }
  const { models } = answer;
  if (models.length === 0) {
    return (
      <section class="card">
        <Empty title="No models yet">
          <p>
            The gateway has no model list from Cursor. Run <code>curlew models</code> to fetch it, or to see why that
            fails.
          </p>
          <Button onClick={again}>Try again</Button>
        </Empty>
      </section>
    );
  }
  const found = sortModels(searchModels(models, search), order);
  return (
    <>
      <Naming models={models} />
      <section class="card" aria-label="All models">
        <div class="toolbar row wrap gap-3 below-4">
          <input
            type="search"
            class="models-search control"
            style={{ width: "280px" }}
            aria-label="Search models"
            placeholder="Search by name or ability"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          <span class="faint" role="status">
            {found.length === models.length
              ? some(models.length, "model")
              : `${found.length} of ${some(models.length, "model")}`}
          </span>
          <div class="models-order apart">
            <Choices label="Order" choices={orders} chosen={order} onChoose={setOrder} />
          </div>
        </div>
        {found.length === 0 ? (
          <Empty title={`No model matches “${search.trim()}”`}>
            <Button onClick={() => setSearch("")}>Show all</Button>
          </Empty>
        ) : (
          <ModelTable models={found} mostTokens={Math.max(...models.map(largestContext))} />
        )}
      </section>
    </>
  );
}

function ModelTable({ models, mostTokens }: { readonly models: readonly PageModel[]; readonly mostTokens: number }) {
  return (
    <table class="data models-table">
      <thead class="wide-only">
        <tr>
          {["Model", "Abilities", "Context"].map((title) => (
            <th key={title} scope="col" rowSpan={2} class={title === "Context" ? "number" : ""}>
              {title}
            </th>
          ))}
          <th scope="colgroup" colSpan={3} class="number" style={{ paddingBottom: "0", border: "0" }}>
            List price per million tokens
          </th>
        </tr>
        <tr>
          {["Input", "Cached", "Output"].map((title) => (
            <th key={title} scope="col" class="number">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {models.map((model) => (
          <ModelRow key={model.id} model={model} mostTokens={mostTokens} />
        ))}
      </tbody>
    </table>
  );
}

function Naming({ models }: { readonly models: readonly PageModel[] }) {
  const effort = effortExample(models);
  const withMaxMode = models.find(({ maxModeContextTokens }) => maxModeContextTokens !== null);
  return (
    <ul class="tiles small soft" aria-label="How to name a model">
      <Name name="auto">Cursor chooses the model.</Name>
      {effort !== undefined && (
        <Name name={effort}>
          Append an effort to the name, or send <code>reasoning_effort</code>.
        </Name>
      )}
      {withMaxMode !== undefined && <Name name={`${withMaxMode.id}:max`}>Max mode, with a larger context.</Name>}
    </ul>
  );
}

function Name({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <li style={{ paddingLeft: "var(--gap-4)", borderLeft: "2px solid var(--line-strong)" }}>
      <code class="block ink strong any-break">{name}</code>
      <span>{children}</span>
    </li>
  );
}

function ComingNaming() {
  return (
    <div class="tiles models-naming-coming" aria-hidden="true">
      <span class="loading" />
      <span class="loading" />
      <span class="loading" />
    </div>
  );
}
