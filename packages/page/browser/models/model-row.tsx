import { contextText } from "@curlew/gateway/system/format.js";
import type { PageModel } from "../../access/contract.js";
import { Chip, Meter } from "../parts/card.js";
import { useCopy } from "../parts/copy.js";
import { icons } from "../parts/icons.js";
import { hrefOf } from "../parts/route.js";
import { priceText } from "./model-list.js";

export function ModelRow({ model, mostTokens }: { readonly model: PageModel; readonly mostTokens: number }) {
  const { id, title, thinks, seesImages, efforts, aliases } = model;
  return (
    <tr>
      <th scope="row" class="models-who" style={{ width: "36%" }}>
        <span class="block strong" style={{ fontSize: "var(--size-text)" }}>
          {title}
        </span>
        <CopyName name={id} />
        <a class="models-try inline-row small" href={hrefOf("playground", id)} aria-label={`Try ${title}`}>
          Try
        </a>
        {aliases.length > 0 && (
          <span class="faint" style={{ display: "inline-block" }}>
            or {aliases.join(", ")}
          </span>
        )}
      </th>
      <td class="models-abilities">
        <div class="row wrap gap-1">
          {thinks && <Chip tone="accent">thinks</Chip>}
          {seesImages && <Chip>sees images</Chip>}
          {efforts.length > 0 && (
            <Chip>
              <span class="weight-400">effort</span> {efforts.join(" · ")}
            </Chip>
          )}
        </div>
      </td>
      <Context {...model} mostTokens={mostTokens} />
      <Price {...model} />
    </tr>
  );
}

/** The model's id, as a button that copies it. */
function CopyName({ name }: { readonly name: string }) {
  const { outcome, copy } = useCopy(name);
  return (
    <button
      type="button"
      class="models-name inline-row gap-6px tiny any-break"
      onClick={copy}
      aria-label={`Copy ${name}`}
    >
      <code>{name}</code>
      {icons.copy}
      <span class="models-outcome medium" aria-live="polite">
        {{ idle: "", copied: "Copied", refused: "Select it" }[outcome]}
      </span>
    </button>
  );
}

function Context({ contextTokens, maxModeContextTokens, mostTokens }: PageModel & { readonly mostTokens: number }) {
  const usual = contextTokens ?? 0;
  const more = Math.max(0, (maxModeContextTokens ?? 0) - usual);
  return (
    <td class="number models-context">
      <span class="models-unit pale">context </span>
      {contextTokens === null ? <span class="faint">unknown</span> : contextText(contextTokens)}
      {usual + more > 0 && (
        <Meter
          parts={[
            { share: usual / mostTokens, color: "--of-input" },
            { share: more / mostTokens, color: "--of-cached" },
          ]}
        />
      )}
      {maxModeContextTokens !== null && (
        <span class="faint block">{contextText(maxModeContextTokens)} in max mode</span>
      )}
    </td>
  );
}

function Price({ price }: PageModel) {
  if (price === null) {
    return (
      <td colSpan={3} class="number">
        <span class="faint">no list price</span>
      </td>
    );
  }
  const parts = { input: price.input, cached: price.cacheRead, output: price.output };
  return (
    <>
      {Object.entries(parts).map(([kind, amount]) => (
        <td key={kind} class="number">
          <span class="models-unit pale">{kind} </span>
          {priceText(amount)}
        </td>
      ))}
    </>
  );
}
