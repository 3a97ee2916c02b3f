import "./models.css";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ClientsAnswer, ModelsAnswer } from "../../src/page/contract.js";
import { ViewHead } from "../parts/card.js";
import { hrefOf } from "../parts/route.js";
import { Tabs } from "../parts/tabs.js";
import { useAnswer } from "../parts/use-answer.js";
import { useRefresh } from "../parts/use-refresh.js";
import { newcomers } from "./client-list.js";
import { ClientsPanel } from "./clients-panel.js";
import { ModelsPanel } from "./models-panel.js";

export function ModelsView({ item }: { readonly item: string | undefined }) {
  const models = useAnswer<ModelsAnswer>("models");
  const clients = useAnswer<ClientsAnswer>("clients");
  const newcomers = useNewcomers(clients.answer, clients.again);
  const chosen = item === "clients" ? "clients" : "models";
  return (
    <>
      <ViewHead title="Models and clients" note={<p>What you can ask for, and how your clients get there.</p>} />
      <Tabs
        label="Models and clients"
        choices={{ models: "Models", clients: "Clients" }}
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

/** Asks for the clients again when requests have ended. Returns who was seen first since the view was opened, the newest last. */
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
