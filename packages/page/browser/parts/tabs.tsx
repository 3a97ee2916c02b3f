import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { placeAfter } from "./keys.js";

interface ChoicesProps<Name extends string> {
  readonly label: string;
  readonly choices: Readonly<Record<Name, string>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

interface TabsProps<Name extends string> extends ChoicesProps<Name> {
  readonly children: ComponentChildren;
}

/** Tabs of a view. Arrow keys, Home and End switch between them. */
export function Tabs<Name extends string>({ label, choices, chosen, onChoose, children }: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  const names = Object.keys(choices) as Name[];
  const onKeyDown = (event: KeyboardEvent) => {
    const row = { from: names.indexOf(chosen), count: names.length, isRound: true };
    const next = names[placeAfter(event.key, { ArrowRight: 1, ArrowLeft: -1 }, row) ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
    onChoose(next);
  };
  return (
    <>
      <div class="tabs flex gap-5" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-controls="tab-panel"
            aria-selected={name === chosen}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {choices[name]}
          </button>
        ))}
      </div>
      <div class="column room narrows" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${chosen}`}>
        {children}
      </div>
    </>
  );
}

export function Choices<Name extends string>({ label, choices, chosen, onChoose }: ChoicesProps<Name>) {
  return (
    <fieldset class="choices" aria-label={label}>
      {(Object.keys(choices) as Name[]).map((name) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
          {choices[name]}
        </button>
      ))}
    </fieldset>
  );
}
