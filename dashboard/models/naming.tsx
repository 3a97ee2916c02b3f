import type { PageModel } from "../../src/page/contract.js";
import { effortExample } from "./model-list.js";

/** How a model is asked for, with names of this very list. */
export function Naming({ models }: { readonly models: readonly PageModel[] }) {
  const effort = effortExample(models);
  const withMaxMode = models.find(({ maxModeContextTokens }) => maxModeContextTokens !== null);
  return (
    <ul class="models-naming" aria-label="How to ask for a model">
      <li>
        <code>auto</code>
        <span>Cursor chooses the model.</span>
      </li>
      {effort !== undefined && (
        <li>
          <code>{effort}</code>
          <span>
            An effort goes behind the name, or into the request as <code>reasoning_effort</code>.
          </span>
        </li>
      )}
      {withMaxMode !== undefined && (
        <li>
          <code>{withMaxMode.id}:max</code>
          <span>Max mode, with its larger context.</span>
        </li>
      )}
    </ul>
  );
}

/** The place that it takes, before the models are there. */
export function ComingNaming() {
  return (
    <div class="models-naming models-naming-coming" aria-hidden="true">
      <span class="loading" />
      <span class="loading" />
      <span class="loading" />
    </div>
  );
}
