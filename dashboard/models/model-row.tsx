import type { PageModel } from "../../src/page/contract.js";
import { Chip } from "../parts/chip.js";
import { useCopy } from "../parts/copy.js";
import { contextText } from "../parts/format.js";
import { icons } from "../parts/icons.js";
import { hrefOf } from "../parts/route.js";
import { priceText } from "./model-list.js";

interface ModelRowProps {
  readonly model: PageModel;
  /** The end of the scale on which contexts are drawn. */
  readonly mostTokens: number;
}

export function ModelRow({ model, mostTokens }: ModelRowProps) {
  const { id, title, thinks, seesImages, efforts, aliases } = model;
  return (
    <tr>
      <th scope="row" class="models-who">
        <span class="models-title">{title}</span>
        <CopyName name={id} />
        <a class="models-try" href={hrefOf("playground", id)} aria-label={`Try ${title}`}>
          Try
        </a>
        {aliases.length > 0 && <span class="models-aliases">or {aliases.join(", ")}</span>}
      </th>
      <td class="models-abilities">
        <div class="models-chips">
          {thinks && <Chip tone="accent">thinks</Chip>}
          {seesImages && <Chip>sees images</Chip>}
          {efforts.length > 0 && (
            <Chip>
              <span class="models-efforts-label">effort</span> {efforts.join(" · ")}
            </Chip>
          )}
        </div>
      </td>
      <Context {...model} mostTokens={mostTokens} />
      <Price {...model} />
    </tr>
  );
}

/** The name for requests. It is itself the button that copies it. */
function CopyName({ name }: { readonly name: string }) {
  const { outcome, copy } = useCopy(name);
  return (
    <button type="button" class="models-name" onClick={copy} aria-label={`Copy ${name}`}>
      <code>{name}</code>
      {icons.copy}
      <span class="models-outcome" aria-live="polite">
        {{ idle: "", copied: "Copied", refused: "Select it" }[outcome]}
      </span>
    </button>
  );
}

function Context({ contextTokens, maxModeContextTokens, mostTokens }: PageModel & { readonly mostTokens: number }) {
  const usual = contextTokens ?? 0;
  const more = Math.max(0, (maxModeContextTokens ?? 0) - usual);
  const width = (tokens: number) => ({ width: `${(100 * tokens) / mostTokens}%` });
  return (
    <td class="models-number models-context">
      <span class="models-unit">context </span>
      {contextTokens === null ? <span class="faint">not known</span> : contextText(contextTokens)}
      {usual + more > 0 && (
        <span class="models-scale" aria-hidden="true">
          <span class="models-scale-usual" style={width(usual)} />
          <span class="models-scale-max" style={width(more)} />
        </span>
      )}
      {maxModeContextTokens !== null && (
        <span class="models-more">{contextText(maxModeContextTokens)} in max mode</span>
      )}
    </td>
  );
}

function Price({ price }: PageModel) {
  if (price === null) {
    return (
      <td colSpan={3} class="models-number models-price">
        <span class="faint">no list price</span>
      </td>
    );
  }
  const parts = { input: price.input, cached: price.cacheRead, output: price.output };
  return (
    <>
      {Object.entries(parts).map(([kind, amount]) => (
        <td key={kind} class="models-number models-price">
          <span class="models-unit">{kind} </span>
          {priceText(amount)}
        </td>
      ))}
    </>
  );
}
