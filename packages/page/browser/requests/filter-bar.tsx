import type { UsageAnswer } from "../../access/contract.js";
import { Button } from "../parts/card.js";
import { currentRoute, hrefOf } from "../parts/route.js";
import { useAnswer } from "../parts/use-live.js";
import { everything, filterOf, namesOf, queryOf, type RequestFilter } from "./filter.js";

/** Names seen within the last month. */
function useSeen(by: "client" | "model"): readonly string[] {
  const { answer } = useAnswer<UsageAnswer>(`usage?by=${by}&days=30`);
  return answer?.data.map((row) => row[by] ?? "") ?? [];
}

interface FilterBarProps {
  readonly filter: RequestFilter;
  /** Changing the filter keeps this request open. */
  readonly openId: string | undefined;
}

/** Chooses the listed requests. The choice is kept in the address, so that links and reloads preserve it. */
export function FilterBar({ filter, openId }: FilterBarProps) {
  const clients = useSeen("client");
  const models = useSeen("model");
  const change = (changes: Partial<RequestFilter>) => {
    const before = filterOf(currentRoute().query);
    location.replace(hrefOf("requests", openId, queryOf({ ...before, ...changes })));
  };
  const isFiltered = hrefOf("requests", undefined, queryOf(filter)) !== hrefOf("requests");
  return (
    <search class="requests-filter row wrap gap-2" aria-label="Filter">
      <Select
        label="Client"
        all="All clients"
        names={namesOf(clients, filter.client)}
        chosen={filter.client}
        onChoose={(client) => change({ client })}
      />
      <Select
        label="Model"
        all="All models"
        names={namesOf(models, filter.model)}
        chosen={filter.model}
        onChoose={(model) => change({ model })}
      />
      <input
        class="control"
        style={{ width: "170px" }}
        type="search"
        aria-label="Part of a request's id"
        placeholder="Find an id"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={filter.id}
        onInput={({ currentTarget }) => change({ id: currentTarget.value })}
      />
      <label class="row gap-2 plain-size" style={{ minHeight: "36px", padding: "0 var(--gap-2)" }}>
        <input
          type="checkbox"
          style={{ width: "16px", height: "16px", margin: "0", accentColor: "var(--accent)" }}
          checked={filter.isFailed}
          onChange={({ currentTarget }) => change({ isFailed: currentTarget.checked })}
        />
        Only failed
      </label>
      {isFiltered && (
        <Button kind="plain small" onClick={() => change(everything)}>
          Clear
        </Button>
      )}
    </search>
  );
}

interface SelectProps {
  readonly label: string;
  readonly all: string;
  readonly names: readonly string[];
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

function Select({ label, all, names, chosen, onChoose }: SelectProps) {
  return (
    <select
      aria-label={label}
      class={chosen === "" ? "control" : "control requests-chosen"}
      value={chosen}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">{all}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
