import "./models.css";
import type { ClientsAnswer, ModelsAnswer } from "../../src/page/contract.js";
import { hrefOf } from "../parts/route.js";
import { Tabs } from "../parts/tabs.js";
import { useAnswer } from "../parts/use-answer.js";
import { ClientsPanel } from "./clients-panel.js";
import { ModelsPanel } from "./models-panel.js";
import { useNewcomers } from "./use-newcomers.js";

/** The models that can be asked for, and how programs get to them. */
export function ModelsView({ item }: { readonly item: string | undefined }) {
  const models = useAnswer<ModelsAnswer>("models");
  const clients = useAnswer<ClientsAnswer>("clients");
  const newcomers = useNewcomers(clients.answer, clients.again);
  const chosen = item === "clients" ? "clients" : "models";
  return (
    <>
      <header class="view-head">
        <div>
          <h1 tabIndex={-1}>Models and clients</h1>
          <p>What you can ask for, and how your clients get there.</p>
        </div>
      </header>
      <Tabs
        label="Models and clients"
        tabs={{ models: "Models", clients: "Clients" }}
        chosen={chosen}
        // A tab is no place of its own to come back to.
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
