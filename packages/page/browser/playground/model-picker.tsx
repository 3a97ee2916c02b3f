import { contextText } from "@curlew/gateway/system/format.js";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { PageModel } from "../../access/contract.js";
import { hasWords } from "../parts/has-words.js";

interface ModelPickerProps {
  readonly models: readonly PageModel[];
  readonly chosen: PageModel | undefined;
  readonly onChoose: (id: string) => void;
}

export function ModelPicker({ models, chosen, onChoose }: ModelPickerProps) {
  const id = useId();
  /** The typed text; undefined while the list is closed. */
  const [query, setQuery] = useState<string>();
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const isOpen = query !== undefined;
  const found = models.filter(({ id, title, aliases }) => isOpen && hasWords([id, title, ...aliases].join(" "), query));
  const at = Math.min(active, found.length - 1);

  const open = () => {
    if (isOpen) return;
    setQuery("");
    setActive(chosen === undefined ? 0 : Math.max(models.indexOf(chosen), 0));
  };
  const choose = (model: PageModel | undefined) => {
    if (model !== undefined) onChoose(model.id);
    setQuery(undefined);
  };
  const moves: Readonly<Record<string, () => void>> = {
    ArrowDown: () => (isOpen ? setActive((at + 1) % Math.max(found.length, 1)) : open()),
    ArrowUp: () => (isOpen ? setActive((at - 1 + found.length) % Math.max(found.length, 1)) : open()),
    Enter: () => (isOpen ? choose(found[at]) : open()),
    Escape: () => setQuery(undefined),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = event.isComposing ? undefined : moves[event.key];
    if (move === undefined || (event.key === "Escape" && !isOpen)) return;
    event.preventDefault();
    move();
  };
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });
  return (
    <div class="field column gap-1 playground-picker anchor fills" style={{ maxWidth: "420px" }}>
      <label class="playground-label" for={id}>
        Model
      </label>
      <input
        id={id}
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && at >= 0 ? `${id}-${at}` : undefined}
        placeholder={isOpen ? (chosen?.title ?? "") : "Choose a model"}
        value={query ?? chosen?.title ?? ""}
        maxLength={100}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setActive(0);
        }}
        onClick={open}
        onBlur={() => setQuery(undefined)}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        // A click must not take the focus from the field, which would close the list.
        // biome-ignore lint/a11y/noStaticElementInteractions: the field handles the keyboard
        <div class="playground-models control" onMouseDown={(event) => event.preventDefault()}>
          <div id={`${id}-list`} class="scrolls" role="listbox" aria-label="Models" ref={list}>
            {found.map((model, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the active option
              <div
                key={model.id}
                id={`${id}-${index}`}
                class="playground-option grid ink"
                role="option"
                aria-selected={index === at}
                onClick={() => choose(model)}
              >
                <strong class="plain-size medium">{model.title}</strong>
                <code class="tiny soft any-break">{model.id}</code>
                <span class="faint tiny right weight-400">{describe(model)}</span>
              </div>
            ))}
          </div>
          {found.length === 0 && (
            <p class="faint pad-3">
              {models.length === 0 ? "The gateway lists no models." : `No model has “${query}” in its name.`}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

function describe({ contextTokens, thinks, seesImages }: PageModel): string {
  const context = contextTokens === null ? "" : contextText(contextTokens);
  return [context, thinks ? "thinks" : "", seesImages ? "images" : ""].filter(Boolean).join(" · ");
}
