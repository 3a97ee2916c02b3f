import { useState } from "preact/hooks";
import type { ModelsAnswer, PageModel } from "../../src/page/contract.js";
import { Choices } from "../parts/choices.js";
import { some } from "../parts/format.js";
import { Empty, FailedCard, Loading } from "../parts/states.js";
import type { Asked } from "../parts/use-answer.js";
import { largestContext, type Order, orders, searchModels, sortModels } from "./model-list.js";
import { ModelRow } from "./model-row.js";
import { ComingNaming, Naming } from "./naming.js";

export function ModelsPanel({ answer, problem, again }: Asked<ModelsAnswer>) {
  const [search, setSearch] = useState("");
  const [order, setOrder] = useState<Order>("listed");
  if (answer === undefined && problem !== undefined) return <FailedCard problem={problem} again={again} />;
  if (answer === undefined) {
    return (
      <>
        <ComingNaming />
        <section class="card">
          <Loading what="models" lines={9} />
        </section>
      </>
    );
  }
  const { models } = answer;
  if (models.length === 0) {
    return (
      <section class="card">
        <Empty title="No models yet">
          <p>
            The gateway does not have Cursor's list. <code>curlew models</code> asks for it, and says what is wrong if
            it does not come.
          </p>
          <button type="button" class="button" onClick={again}>
            Look again
          </button>
        </Empty>
      </section>
    );
  }
  const found = sortModels(searchModels(models, search), order);
  return (
    <>
      <Naming models={models} />
      <section class="card models-list" aria-label="All models">
        <div class="models-tools">
          <input
            type="search"
            class="models-search"
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
          <div class="models-apart models-order">
            <Choices label="Order" choices={orders} chosen={order} onChoose={setOrder} />
          </div>
        </div>
        {found.length === 0 ? (
          <Empty title={`No model matches “${search.trim()}”`}>
            <button type="button" class="button" onClick={() => setSearch("")}>
              Show all
            </button>
          </Empty>
        ) : (
          <ModelTable models={found} mostTokens={Math.max(...models.map(largestContext))} />
        )}
      </section>
    </>
  );
}

interface ModelTableProps {
  readonly models: readonly PageModel[];
  readonly mostTokens: number;
}

function ModelTable({ models, mostTokens }: ModelTableProps) {
  return (
    <table class="models-table">
      <thead>
        <tr>
          <th scope="col" rowSpan={2}>
            Model
          </th>
          <th scope="col" rowSpan={2}>
            Abilities
          </th>
          <th scope="col" rowSpan={2} class="models-number">
            Context
          </th>
          <th scope="colgroup" colSpan={3} class="models-number models-span">
            List price for a million tokens
          </th>
        </tr>
        <tr>
          <th scope="col" class="models-number">
            Input
          </th>
          <th scope="col" class="models-number">
            Cached
          </th>
          <th scope="col" class="models-number">
            Output
          </th>
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
